"""Messages of Kafka's protocol that kafka-python lacks, as definitions that it reads."""
