package main

// Reads records from stdin with the generated types, and prints what the types write; an error is printed as text.

import (
	"encoding/json"
	"os"
)

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
		if err := json.Unmarshal(each.Value, value); err != nil {
			written = append(written, err.Error())
		} else {
			written = append(written, value)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(written); err != nil {
		panic(err)
	}
}
