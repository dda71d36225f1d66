import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.main.Main;

/**
 * HTTP to Kafka with Apache Camel: takes a JSON object by POST, publishes it under its chat_id, and answers once all in-sync
 * replicas have it. Arguments: PORT BROKERS TOPIC.
 */
public class CamelIngest {
  private static final int WORKERS = 64;

  public static void main(String[] args) throws Exception {
    String from = "netty-http:http://127.0.0.1:" + args[0] + "/hook?httpMethodRestrict=POST";
    String to = "kafka:" + args[2] + "?brokers=" + args[1] + "&requestRequiredAcks=all&enableIdempotence=true"
        + "&workerPoolCoreSize=" + WORKERS + "&workerPoolMaxSize=" + WORKERS;
    Main main = new Main();
    main.configure().addRoutesBuilder(new RouteBuilder() {
      @Override
      public void configure() {
        from(from).unmarshal().json().process(CamelIngest::key).marshal().json().to(to)
            .setBody(constant("{\"result\":\"ok\"}"));
      }
    });
    main.run();
  }

  private static void key(Exchange exchange) {
    Object chat = exchange.getIn().getBody(Map.class).get("chat_id");
    exchange.getIn().setHeader("kafka.KEY", String.valueOf(chat));
  }
}
