import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.ThreadContext;

/** One consumer of an application, in a thread of its own, until the process stops. */
final class Pod extends Thread {
    private static final Logger LOG = LogManager.getLogger(Pod.class);
    private static final Duration FOREVER = Duration.ofDays(10_000);

    private final Application application;
    private final String bootstrapServers;
    private final CountDownLatch stopping;
    private final Duration life;
    private final Duration untilStuck;

    Pod(String name, Application application, String bootstrapServers, CountDownLatch stopping) {
        super(name);
        this.application = application;
        this.bootstrapServers = bootstrapServers;
        this.stopping = stopping;
        var pods = application.pods().toList();
        var work = application.work();
        life = work.redeployed() != null && name.equals(pods.get(pods.size() - 1)) ? work.redeployed() : FOREVER;
        untilStuck = work.stuck() != null && name.equals(pods.get(0)) ? work.stuck() : FOREVER;
    }

    @Override
    public void run() {
        // Threads that the consumer starts inherit it: their lines go to the log of this pod.
        ThreadContext.put("pod", getName());
        while (!isStopping()) {
            try (var consumer = new KafkaConsumer<>(settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                consumer.subscribe(List.of(application.topic()));
                consume(consumer);
            } catch (RuntimeException failure) {
                LOG.error("The consumer failed and is started again", failure);
                pause(Duration.ofSeconds(10));
            }
        }
    }

    private void consume(KafkaConsumer<byte[], byte[]> consumer) {
        var age = new Timer();
        var sinceStuck = new Timer();
        var sinceCommit = new Timer();
        while (!isStopping() && !age.isOver(life)) {
            int records = consumer.poll(Duration.ofMillis(500)).count();
            pause(application.work().perRecord().multipliedBy(records));
            if (records > 0 && sinceStuck.isOver(untilStuck)) {
                LOG.warn("The mail server does not answer");
                pause(application.work().stuckFor());
                sinceStuck = new Timer();
            }
            var interval = application.work().commits();
            if (interval != null && records > 0 && sinceCommit.isOver(interval)) {
                commit(consumer);
                sinceCommit = new Timer();
            }
        }
    }

    private static void commit(KafkaConsumer<byte[], byte[]> consumer) {
        try {
            consumer.commitSync();
        } catch (CommitFailedException | RebalanceInProgressException failure) {
            LOG.warn("The commit failed, so these records are processed once more: {}", failure.getMessage());
        }
    }

    private Properties settings() {
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("group.id", application.group());
        settings.put("client.id", getName());
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", String.valueOf(application.work().commits() == null));
        settings.putAll(application.settings());
        return settings;
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    /** Waits, but no longer than until the process stops. */
    private void pause(Duration length) {
        try {
            stopping.await(length.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Timer {
        private final long start = System.nanoTime();

        boolean isOver(Duration length) {
            return System.nanoTime() - start >= length.toNanos();
        }
    }
}
