import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** Writes records of 100 bytes into each topic at its rate, until the process stops. */
final class Traffic extends Thread {
    private static final Logger LOG = LogManager.getLogger(Traffic.class);
    private static final byte[] VALUE = new byte[100];

    /** Touched while the broker acknowledges records: the health check looks at its age. */
    private static final Path ACKNOWLEDGED = Path.of("acknowledged");

    private final String bootstrapServers;
    private final CountDownLatch stopping;

    Traffic(String bootstrapServers, CountDownLatch stopping) {
        super("traffic");
        this.bootstrapServers = bootstrapServers;
        this.stopping = stopping;
    }

    @Override
    public void run() {
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("client.id", "shop");
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            while (!stopping.await(Duration.ofSeconds(1).toMillis(), TimeUnit.MILLISECONDS)) {
                writeOneSecond(producer);
            }
        } catch (InterruptedException | IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void writeOneSecond(KafkaProducer<byte[], byte[]> producer) throws InterruptedException, IOException {
        Future<RecordMetadata> last = null;
        for (var topic : Application.TOPICS.entrySet()) {
            int partitions = topic.getValue().partitions();
            for (int number = 0; number < topic.getValue().recordsPerSecond(); number++) {
                last = producer.send(new ProducerRecord<>(topic.getKey(), number % partitions, null, VALUE));
            }
        }
        try {
            last.get();
            Files.writeString(ACKNOWLEDGED, "");
        } catch (ExecutionException failure) {
            LOG.warn("Records were not acknowledged: {}", failure.getCause().getMessage());
        }
    }
}
