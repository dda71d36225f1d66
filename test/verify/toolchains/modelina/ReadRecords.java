import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** Reads records from stdin with the generated classes, and prints what these write; an error is printed as text. */
public class ReadRecords {
  public static void main(String[] args) throws Exception {
    ObjectMapper mapper = new ObjectMapper().findAndRegisterModules();
    mapper.disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
    ArrayNode written = mapper.createArrayNode();
    for (JsonNode each : mapper.readTree(System.in)) {
      try {
        Class<?> type = Class.forName("livechat." + each.get("name").asText());
        written.add(mapper.<JsonNode>valueToTree(mapper.treeToValue(each.get("value"), type)));
      } catch (JsonProcessingException error) {
        written.add(error.getOriginalMessage());
      }
    }
    System.out.println(mapper.writeValueAsString(written));
  }
}
