import java.time.Duration;

/**
 * What the pods of an application do with records.
 *
 * @param perRecord how long a record takes
 * @param commits how often a pod commits: zero is after each batch, null leaves it to the consumer (auto-commit)
 * @param redeployed how often the last pod is stopped and started again; null: never
 * @param stuck how often the first pod is stuck in a batch; null: never
 * @param stuckFor for how long it is
 */
record Work(Duration perRecord, Duration commits, Duration redeployed, Duration stuck, Duration stuckFor) {

    static Work of(int millisecondsPerRecord) {
        return new Work(Duration.ofMillis(millisecondsPerRecord), null, null, null, Duration.ZERO);
    }

    Work committedByTheConsumer() {
        return new Work(perRecord, null, redeployed, stuck, stuckFor);
    }

    Work committedEvery(Duration interval) {
        return new Work(perRecord, interval, redeployed, stuck, stuckFor);
    }

    Work redeployedEvery(Duration interval) {
        return new Work(perRecord, commits, interval, stuck, stuckFor);
    }

    Work stuckEvery(Duration interval, Duration length) {
        return new Work(perRecord, commits, redeployed, interval, length);
    }
}
