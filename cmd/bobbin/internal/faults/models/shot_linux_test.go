package models

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// A faultyAnswer is one spoilt request and its answer.
type faultyAnswer struct {
	*chatmodel.Stream
	r     *http.Request
	asked chatmodel.Request
	name  string // the call that the model would make
	args  map[string]any
	hit   int
}

// canary is a text that nobody may read: only calls that must not be run contain it.
const canary = "CANARY"

// right returns the call that the model would have made, under an ID whose prefix shows that it was
// discarded.
func (f *faultyAnswer) right(prefix string) chatmodel.Call {
	b, _ := json.Marshal(f.args)
	return chatmodel.Call{ID: f.id(prefix, 1), Name: f.name, Args: string(b)}
}

// sing returns a call of the tool say, whose effect people would see.
func (f *faultyAnswer) sing(prefix, args string) chatmodel.Call {
	return chatmodel.Call{ID: f.id(prefix, 2), Name: "say", Args: args}
}

func (f *faultyAnswer) id(prefix string, n int) string {
	return fmt.Sprintf("%s-%d-%d-%d-%s", prefix, n, f.hit, len(f.asked.Messages), f.name)
}

const song = `{"message":"` + canary + `"}`

// unit is the cost of a complete answer in USD.
const unit = 0.002

func refusal(status int, body string, header ...string) func(*faultyAnswer) {
	return func(s *faultyAnswer) { s.Refuse(status, body, header...) }
}
