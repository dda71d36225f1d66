import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudevents.CloudEvent;
import io.cloudevents.kafka.KafkaMessageFactory;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;

/** Prints every event of the bridge. CloudEvents' SDK reads the envelope, generated classes check the data. */
public class Subscribe {
  // A later version of the contract may add fields.
  private static final ObjectMapper mapper =
      new ObjectMapper().findAndRegisterModules().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  private static final Validator validator = Validation.byDefaultProvider().configure()
      .messageInterpolator(new ParameterMessageInterpolator()).buildValidatorFactory().getValidator();

  /** The data of an event, such as a livechat.ChatAccepted. Throws if this program does not understand it. */
  private static Object read(CloudEvent event) throws IOException {
    String[] type = event.getType().split("\\.");
    if (type.length != 3 || !type[0].equals("livechat") || !type[2].equals("v1"))
      throw new IOException("unknown ce_type");
    Object data;
    try {
      data = mapper.readValue(event.getData().toBytes(), Class.forName("livechat." + type[1]));
    } catch (JsonProcessingException wrong) {
      // Its message repeats the values, which are persons' data.
      throw new IOException("no JSON of this type");
    } catch (ClassNotFoundException unknown) {
      throw new IOException("unknown ce_type");
    }
    Set<ConstraintViolation<Object>> wrong = validator.validate(data);
    if (!wrong.isEmpty())
      throw new IOException(wrong.stream().map(each -> each.getPropertyPath() + " " + each.getMessage())
          .collect(Collectors.joining(", ")));
    return data;
  }

  private static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  private static void handle(ConsumerRecord<String, byte[]> record) {
    try {
      CloudEvent event = KafkaMessageFactory.createReader(record).toEvent();
      String type = read(event).getClass().getSimpleName();
      System.out.println(event.getTime() + " " + type + " " + event.getSubject() + " " + event.getId());
    } catch (IOException | RuntimeException wrong) {
      // Keep such a record somewhere: once its offset is committed, this group does not see it again.
      System.err.println("skipped " + record.topic() + "/" + record.partition() + "@" + record.offset() + ": "
          + wrong.getMessage());
    }
  }

  /**
   * What cannot be committed is committed later: after an outage by this member, after a rebalance by whoever has the
   * partitions then, from their last commit on. So an event may come again.
   */
  private static void commit(KafkaConsumer<String, byte[]> consumer) {
    try {
      consumer.commitSync();
    } catch (CommitFailedException | RebalanceInProgressException | RetriableException later) {
      System.err.println("not committed yet: " + later.getMessage());
    }
  }

  public static void main(String[] args) throws InterruptedException {
    KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers", setting("KAFKA_BROKERS", "127.0.0.1:9092"),
            "group.id", setting("GROUP", "my-team"),
            "auto.offset.reset", "earliest",
            "enable.auto.commit", "false"),
        new StringDeserializer(), new ByteArrayDeserializer());
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      consumer.wakeup();
      try {
        main.join();
      } catch (InterruptedException end) {
        Thread.currentThread().interrupt();
      }
    }));
    consumer.subscribe(List.of(setting("TOPICS",
        "livechat.chats,livechat.calls,livechat.clients,livechat.offline-messages,livechat.bot-conversations").split(",")));
    try {
      while (true) {
        consumer.poll(Duration.ofSeconds(1)).forEach(Subscribe::handle);
        // Committed after the work: a crash in between brings the events again, and never loses one.
        commit(consumer);
      }
    } catch (WakeupException stop) {
      // Ctrl-C
    } finally {
      consumer.close();
    }
  }
}
