import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.logging.log4j.LogManager;

/**
 * The load of the demo: `all-but POD` writes records and runs every consumer except one, `only POD` runs that one.
 *
 * <p>A consumer that is to be killed needs a process of its own.
 */
final class DemoLoad {
    private static final int MILLISECONDS_TO_CLOSE = 8_000;

    private DemoLoad() {}

    public static void main(String[] arguments) throws Exception {
        boolean only = arguments[0].equals("only");
        String pod = arguments[1];
        String bootstrapServers = System.getenv("KAFKA_BOOTSTRAP_SERVERS");
        var stopping = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        if (!only) {
            createTopics(bootstrapServers);
            threads.add(new Traffic(bootstrapServers, stopping));
        }
        for (var application : Application.ALL) {
            application.pods()
                    .filter(name -> name.equals(pod) == only)
                    .forEach(name -> threads.add(new Pod(name, application, bootstrapServers, stopping)));
        }
        if (threads.isEmpty()) {
            throw new IllegalArgumentException("No application has a pod " + pod);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(threads, stopping)));
        threads.forEach(Thread::start);
    }

    private static void createTopics(String bootstrapServers) throws InterruptedException, ExecutionException {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            for (var topic : Application.TOPICS.entrySet()) {
                var created = new NewTopic(topic.getKey(), topic.getValue().partitions(), (short) 1);
                try {
                    admin.createTopics(List.of(created)).all().get();
                } catch (ExecutionException failure) {
                    if (!(failure.getCause() instanceof TopicExistsException)) {
                        throw failure;
                    }
                }
            }
        }
    }

    /** Lets consumers leave their groups. */
    private static void close(List<Thread> threads, CountDownLatch stopping) {
        stopping.countDown();
        long end = System.currentTimeMillis() + MILLISECONDS_TO_CLOSE;
        for (var thread : threads) {
            try {
                thread.join(Math.max(1, end - System.currentTimeMillis()));
            } catch (InterruptedException e) {
                break;
            }
        }
        LogManager.shutdown();
    }
}
