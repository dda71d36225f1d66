// Prints every event of the bridge. CloudEvents' SDK reads the envelope, types made of the published schemas check the data.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/IBM/sarama"
	"github.com/cloudevents/sdk-go/protocol/kafka_sarama/v2"
	"github.com/cloudevents/sdk-go/v2/binding"
	"github.com/cloudevents/sdk-go/v2/event"

	"subscribe/models"
)

//go:generate sh generate.sh

// read returns the event and its data, such as a *chatacceptedv1.Record, or why this program does not understand the record.
func read(ctx context.Context, record *sarama.ConsumerMessage) (*event.Event, any, error) {
	found, err := binding.ToEvent(ctx, kafka_sarama.NewMessageFromConsumerMessage(record))
	if err != nil {
		return nil, nil, err
	}
	create, known := models.ByType[found.Type()]
	if !known {
		return nil, nil, errors.New("unknown ce_type")
	}
	data := create()
	return found, data, found.DataAs(data)
}

type handler struct{}

func (handler) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (handler) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim marks a record after the work with it: a crash in between brings it again, and never loses it.
func (handler) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for record := range claim.Messages() {
		found, data, err := read(session.Context(), record)
		if err != nil {
			// Keep such a record somewhere: once it is marked, this group does not see it again.
			fmt.Fprintf(os.Stderr, "skipped %s/%d@%d: %v\n", record.Topic, record.Partition, record.Offset, err)
		} else {
			fmt.Printf("%s %T %s %s\n", found.Time().Format("2006-01-02T15:04:05.000Z"), data, found.Subject(), found.ID())
		}
		session.MarkMessage(record, "")
	}
	return nil
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	topics := setting("TOPICS", "livechat.chats,livechat.calls,livechat.clients,livechat.offline-messages,livechat.bot-conversations")
	config := sarama.NewConfig()
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	brokers := strings.Split(setting("KAFKA_BROKERS", "127.0.0.1:9092"), ",")
	group, err := sarama.NewConsumerGroup(brokers, setting("GROUP", "my-team"), config)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// A call of Consume ends when the group gets or loses a member, and with an error while no broker answers. The next
	// one goes on after the last commit, so an event may come again.
	for ctx.Err() == nil {
		if err := group.Consume(ctx, strings.Split(topics, ","), handler{}); err != nil {
			fmt.Fprintln(os.Stderr, "not reading:", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
	if err := group.Close(); err != nil {
		log.Fatal(err)
	}
}
