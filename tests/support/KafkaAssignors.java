import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.consumer.internals.AbstractPartitionAssignor;
import org.apache.kafka.common.*;
import org.apache.kafka.coordinator.group.api.assignor.*;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.*;

/**
 * Runs Kafka's own assignors. Each line of the input is a group, in fields that tabs separate: `t:3,u:2`, the number of
 * partitions of its topics; then for each member its id, its instance id, its topics, the partitions that it owned and the
 * generation that assigned them, -1 if none did. The output has a line for each group and assignor: the assignor's name, then a field for each member. This is written for
 * Janino, the compiler that Spark contains, which knows no lambdas and ignores type parameters, so that a Java runtime is
 * enough.
 */
public class KafkaAssignors {
    static final String[] NAMES = {"range", "roundrobin", "sticky", "cooperative-sticky", "uniform"};
    static final Node[] NO_NODES = new Node[0];

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        String line;
        while ((line = in.readLine()) != null) {
            String[] fields = line.split("\t", -1);
            List members = new ArrayList();
            for (int i = 1; i < fields.length; i += 5) {
                members.add(new String[] {fields[i], fields[i + 1], fields[i + 2], fields[i + 3], fields[i + 4]});
            }
            for (int i = 0; i < NAMES.length; i++) {
                StringBuilder answer = new StringBuilder(NAMES[i]);
                Map assignment;
                try {
                    assignment = assign(NAMES[i], partitions(fields[0]), members);
                } catch (RuntimeException failure) {
                    // Claims of earlier generations: the sticky ones fail where their owner takes no part in the balancing,
                    // and to `uniform` a partition never has two owners.
                    out.println(answer);
                    continue;
                }
                for (int m = 0; m < members.size(); m++) {
                    answer.append('\t');
                    Iterator its = ((List) assignment.get(((String[]) members.get(m))[0])).iterator();
                    while (its.hasNext()) {
                        TopicPartition partition = (TopicPartition) its.next();
                        answer.append(partition.topic()).append(':').append(partition.partition());
                        if (its.hasNext()) answer.append(',');
                    }
                }
                out.println(answer);
            }
        }
        out.flush();
    }

    /** `topic:number,…`: the number is a partition, or how many partitions there are. */
    static List partitions(String text) {
        List read = new ArrayList();
        if (text.isEmpty()) return read;
        String[] each = text.split(",");
        for (int i = 0; i < each.length; i++) {
            int colon = each[i].lastIndexOf(':');
            read.add(new TopicPartition(each[i].substring(0, colon), Integer.parseInt(each[i].substring(colon + 1))));
        }
        return read;
    }

    static List names(String text) {
        return text.isEmpty() ? new ArrayList() : Arrays.asList((Object[]) text.split(","));
    }

    static Map assign(String name, List topics, List members) {
        if (name.equals("uniform")) return uniform(topics, members);
        if (name.equals("range")) return client(new RangeAssignor(), topics, members);
        if (name.equals("roundrobin")) return client(new RoundRobinAssignor(), topics, members);
        if (name.equals("sticky")) return client(new StickyAssignor(), topics, members);
        return client(new CooperativeStickyAssignor(), topics, members);
    }

    static Map client(AbstractPartitionAssignor assignor, List topics, List members) {
        List infos = new ArrayList();
        for (int t = 0; t < topics.size(); t++) {
            TopicPartition topic = (TopicPartition) topics.get(t);
            for (int p = 0; p < topic.partition(); p++) {
                infos.add(new PartitionInfo(topic.topic(), p, Node.noNode(), NO_NODES, NO_NODES));
            }
        }
        Map subscriptions = new HashMap();
        for (int m = 0; m < members.size(); m++) {
            String[] member = (String[]) members.get(m);
            List owned = partitions(member[3]);
            int generation = Integer.parseInt(member[4]);
            ConsumerPartitionAssignor.Subscription subscription = new ConsumerPartitionAssignor.Subscription(
                names(member[2]), userData(assignor, owned, generation), owned, generation, Optional.empty());
            if (!member[1].isEmpty()) subscription.setGroupInstanceId(Optional.of(member[1]));
            subscriptions.put(member[0], subscription);
        }
        Cluster cluster = new Cluster("a", new ArrayList(), infos, new HashSet(), new HashSet());
        Map assignments = assignor
            .assign(cluster, new ConsumerPartitionAssignor.GroupSubscription(subscriptions)).groupAssignment();
        Map assigned = new HashMap();
        for (Iterator its = assignments.keySet().iterator(); its.hasNext();) {
            Object member = its.next();
            assigned.put(member, ((ConsumerPartitionAssignor.Assignment) assignments.get(member)).partitions());
        }
        return assigned;
    }

    /** StickyAssignor reads the owned partitions from here: by topic, then the generation. The cooperative one reads only
     *  the generation, and only if the subscription has none. */
    static ByteBuffer userData(AbstractPartitionAssignor assignor, List owned, int generation) {
        ByteBuffer data = ByteBuffer.allocate(65536);
        if (!(assignor instanceof StickyAssignor)) {
            data.putInt(generation);
            data.flip();
            return data;
        }
        data.putInt(owned.size());
        for (int i = 0; i < owned.size(); i++) {
            TopicPartition partition = (TopicPartition) owned.get(i);
            byte[] topic = partition.topic().getBytes(java.nio.charset.StandardCharsets.UTF_8);
            data.putShort((short) topic.length);
            data.put(topic);
            data.putInt(1);
            data.putInt(partition.partition());
        }
        data.putInt(generation);
        data.flip();
        return data;
    }

    static Map uniform(List topics, List members) {
        // Ids that sort as the topics do.
        Map ids = new HashMap();
        Topics described = new Topics();
        for (int t = 0; t < topics.size(); t++) {
            TopicPartition topic = (TopicPartition) topics.get(t);
            if (topic.partition() == 0) continue;
            Uuid id = new Uuid(1L, (long) t + 1);
            ids.put(topic.topic(), id);
            described.names.put(id, topic.topic());
            described.sizes.put(id, Integer.valueOf(topic.partition()));
        }
        Map group = new LinkedHashMap();
        Map owners = new HashMap();
        Set subscriptions = new HashSet();
        for (int m = 0; m < members.size(); m++) {
            String[] member = (String[]) members.get(m);
            subscriptions.add(new HashSet(names(member[2])));
            Set subscribed = new HashSet();
            for (Iterator its = names(member[2]).iterator(); its.hasNext();) {
                Object id = ids.get(its.next());
                if (id != null) subscribed.add(id);
            }
            Map owned = new HashMap();
            for (Iterator its = partitions(member[3]).iterator(); its.hasNext();) {
                TopicPartition partition = (TopicPartition) its.next();
                Object id = ids.get(partition.topic());
                if (id == null) continue;
                if (!owned.containsKey(id)) owned.put(id, new HashSet());
                ((Set) owned.get(id)).add(Integer.valueOf(partition.partition()));
                if (!owners.containsKey(id)) owners.put(id, new HashMap());
                ((Map) owners.get(id)).put(Integer.valueOf(partition.partition()), member[0]);
            }
            Optional instance = member[1].isEmpty() ? Optional.empty() : Optional.of(member[1]);
            group.put(member[0], new MemberSubscriptionAndAssignmentImpl(
                Optional.empty(), instance, subscribed, new Assignment(owned)));
        }
        SubscriptionType type = subscriptions.size() > 1 ? SubscriptionType.HETEROGENEOUS : SubscriptionType.HOMOGENEOUS;
        Map assignments = new UniformAssignor().assign(new GroupSpecImpl(group, type, owners), described).members();
        Map result = new HashMap();
        for (Iterator its = group.keySet().iterator(); its.hasNext();) {
            Object member = its.next();
            List partitions = new ArrayList();
            result.put(member, partitions);
            MemberAssignment assigned = (MemberAssignment) assignments.get(member);
            if (assigned == null) continue;
            for (Iterator topicIds = assigned.partitions().keySet().iterator(); topicIds.hasNext();) {
                Object id = topicIds.next();
                for (Iterator each = ((Set) assigned.partitions().get(id)).iterator(); each.hasNext();) {
                    int number = ((Integer) each.next()).intValue();
                    partitions.add(new TopicPartition((String) described.names.get(id), number));
                }
            }
        }
        return result;
    }

    static class Topics implements SubscribedTopicDescriber {
        final Map names = new HashMap();
        final Map sizes = new HashMap();

        public int numPartitions(Uuid id) {
            Integer size = (Integer) sizes.get(id);
            return size == null ? -1 : size.intValue();
        }

        public Set racksForPartition(Uuid id, int partition) {
            return new HashSet();
        }
    }
}
