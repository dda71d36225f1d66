package main

// Reads records from stdin with the generated types, and prints what the types write; an error is printed as text.

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
)

func read[M Message](raw []byte) (Message, error) {
	var message M
	err := json.Unmarshal(raw, &message)
	return message, err
}

// A Go interface cannot be decoded directly: the discriminator selects the type.
func readMessage(raw []byte) (Message, error) {
	var tag struct{ Type string }
	if err := json.Unmarshal(raw, &tag); err != nil {
		return nil, err
	}
	switch tag.Type {
	case "TEXT":
		return read[TextMessage](raw)
	case "MARKDOWN":
		return read[MarkdownMessage](raw)
	case "BUTTONS":
		return read[ButtonsMessage](raw)
	}
	return nil, fmt.Errorf("unknown type of message: %q", tag.Type)
}

// Reads an event. If the type of its message is an interface, the message is read separately.
func readEvent(raw []byte, event any) error {
	field := reflect.ValueOf(event).Elem().FieldByName("Message")
	if !field.IsValid() || field.Kind() != reflect.Interface {
		return json.Unmarshal(raw, event)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	message, found := fields["message"]
	delete(fields, "message")
	rest, _ := json.Marshal(fields)
	if err := json.Unmarshal(rest, event); err != nil || !found {
		return err
	}
	value, err := readMessage(message)
	if err == nil {
		field.Set(reflect.ValueOf(value))
	}
	return err
}

var types = map[string]func() any{
	"ChatAccepted":           func() any { return &ChatAccepted{} },
	"ChatAssigned":           func() any { return &ChatAssigned{} },
	"ChatUpdated":            func() any { return &ChatUpdated{} },
	"ChatFinished":           func() any { return &ChatFinished{} },
	"CallStatusChanged":      func() any { return &CallStatusChanged{} },
	"ClientUpdated":          func() any { return &ClientUpdated{} },
	"OfflineMessageReceived": func() any { return &OfflineMessageReceived{} },
	"ClientMessageReceived":  func() any { return &ClientMessageReceived{} },
	"AgentInvited":           func() any { return &AgentInvited{} },
	"AgentJoined":            func() any { return &AgentJoined{} },
	"AgentUnavailable":       func() any { return &AgentUnavailable{} },
	"ChatClosed":             func() any { return &ChatClosed{} },
	"BotReplyDelivered":      func() any { return &BotReplyDelivered{} },
	"BotReplyFailed":         func() any { return &BotReplyFailed{} },
	"BotReplySuppressed":     func() any { return &BotReplySuppressed{} },
	"ClientErased":           func() any { return &ClientErased{} },
	"ChatErased":             func() any { return &ChatErased{} },
	"ErasureConfirmation":    func() any { return &ErasureConfirmation{} },
	"OperatorAction":         func() any { return &OperatorAction{} },
	"Enrichment":             func() any { return &Enrichment{} },
	"InviteAgent":            func() any { return &InviteAgent{} },
}

func main() {
	var cases []struct {
		Name  string
		Value json.RawMessage
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	written := []any{}
	for _, each := range cases {
		create, known := types[each.Name]
		if !known {
			panic("no type for " + each.Name)
		}
		value := create()
		if err := readEvent(each.Value, value); err != nil {
			written = append(written, err.Error())
		} else {
			written = append(written, value)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(written); err != nil {
		panic(err)
	}
}
