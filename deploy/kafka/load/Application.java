import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A consumer group of the demo, of a kind that teams have. Each of its pods is one consumer, named after the group. */
record Application(String group, String topic, int size, Map<String, String> settings, Work work) {
    private static final String RANGE = "org.apache.kafka.clients.consumer.RangeAssignor";
    private static final String COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";

    /** A batch every two seconds, or less often if records are few. */
    private static final Map<String, String> BATCHES = Map.of("fetch.min.bytes", "100000", "fetch.max.wait.ms", "2000");

    static final List<Application> ALL = List.of(
            // Nothing is wrong with it. It commits every five seconds, as consumers do by default.
            new Application("orders-billing", "orders", 3,
                    Map.of("partition.assignment.strategy", RANGE),
                    Work.of(2).committedByTheConsumer()),
            // demo-load.sh kills one of its pods every few minutes: the others wait for the session timeout.
            new Application("search-indexer", "products", 3,
                    with(BATCHES, "partition.assignment.strategy", COOPERATIVE, "session.timeout.ms", "15000"),
                    Work.of(2).committedEvery(Duration.ZERO)),
            // The protocol of KIP-848. One of its pods is deployed anew every few minutes: it leaves and joins.
            // With a recovery strategy its client writes thousands of log lines a second while there is no broker.
            new Application("fraud-scoring", "payments", 3,
                    with(BATCHES, "group.protocol", "consumer", "metadata.recovery.strategy", "none"),
                    Work.of(5).committedEvery(Duration.ZERO).redeployedEvery(Duration.ofMinutes(4))),
            // Slower than what is written, so its lag grows; and a crash would cost it up to two minutes of records.
            new Application("audit-export", "orders", 1,
                    Map.of("max.poll.records", "100"),
                    Work.of(80).committedEvery(Duration.ofMinutes(2))),
            // One pod too many for the partitions, and another one that sometimes waits for a mail server for too long.
            new Application("invoice-mailer", "invoices", 3,
                    with(BATCHES, "max.poll.interval.ms", "20000"),
                    Work.of(10).committedEvery(Duration.ZERO).stuckEvery(Duration.ofMinutes(3), Duration.ofSeconds(35))));

    /** Partitions and records per second of each topic. */
    static final Map<String, Topic> TOPICS = Map.of(
            "orders", new Topic(6, 20),
            "products", new Topic(4, 10),
            "payments", new Topic(6, 10),
            "invoices", new Topic(2, 4));

    record Topic(int partitions, int recordsPerSecond) {}

    Stream<String> pods() {
        return IntStream.rangeClosed(1, size).mapToObj(number -> group + "-" + number);
    }

    private static Map<String, String> with(Map<String, String> settings, String... more) {
        var all = new HashMap<>(settings);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return Map.copyOf(all);
    }
}
