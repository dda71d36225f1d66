import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.InputStreamReader;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.InterfaceAApi;
import org.openapitools.client.api.InterfaceBApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.AccessTokenRequest;
import org.openapitools.client.model.ReceiveBotEventRequest;
import org.openapitools.client.model.ReceiveWebhookRequest;
import org.openapitools.client.model.WireChatAccepted;
import org.openapitools.client.model.WireClientMessage;

/** Posts an event of each interface to a running bridge with the generated client. Stdin has URL, tokens and events. */
public class CallBridge {
  public static void main(String[] args) throws Exception {
    JsonObject given = JsonParser.parseReader(new InputStreamReader(System.in, "UTF-8")).getAsJsonObject();
    ApiClient client = new ApiClient();
    client.setBasePath(text(given, "url"));
    WireChatAccepted accepted = WireChatAccepted.fromJson(given.get("chatAccepted").toString());
    System.out.println(
        new InterfaceAApi(client)
            .receiveWebhook(text(given, "webhooksToken"), new ReceiveWebhookRequest(accepted))
            .getResult());
    InterfaceBApi bot = new InterfaceBApi(client);
    AccessTokenRequest request =
        new AccessTokenRequest()
            .grantType(AccessTokenRequest.GrantTypeEnum.CLIENT_CREDENTIALS)
            .clientId(text(given, "clientId"))
            .clientSecret(text(given, "secretKey"));
    // The history of a chat has a bearer token of its own, so the scheme is named.
    HttpBearerAuth auth = (HttpBearerAuth) client.getAuthentication("accessToken");
    auth.setBearerToken(bot.issueAccessToken(request).getAccessToken());
    WireClientMessage message = WireClientMessage.fromJson(given.get("clientMessage").toString());
    System.out.println(bot.receiveBotEvent(text(given, "botToken"), new ReceiveBotEventRequest(message)).getResult());
  }

  private static String text(JsonObject given, String name) {
    return given.get(name).getAsString();
  }
}
