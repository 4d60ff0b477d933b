package model

import (
	"encoding/json"
	"time"

	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// Role says who a message is from.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
	// CompactionRole is the role of entries for the program, which say how much of a conversation a model is
	// shown. They are stored, and never sent.
	CompactionRole Role = "folded"
)

// A Message is one entry of a conversation. Its JSON form is stored in transcripts: names may be added, never
// changed.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`
	// the tool calls of an assistant, in order
	Calls []Call `json:"calls,omitempty"`
	// of a tool result: the id of the Call that it answers
	CallID string `json:"call_id,omitempty"`
	// of a tool result: the call was the model's mistake
	Wrong bool `json:"wrong,omitempty"`
	// Malformed, of a Wrong result: the call was malformed, and no tool has run.
	Malformed bool `json:"malformed,omitempty"`
	// of a tool result: what was run did not succeed
	Failed bool `json:"failed,omitempty"`
	// Pictures, of a user message, follow its text for a model that accepts pictures. Another model is told
	// in words that nobody has looked at them.
	Pictures []Picture `json:"pictures,omitempty"`
	// of a user message: the Slack user, if there is one; stored, not sent: say it in Text
	From string `json:"from,omitempty"`
	// of an entry of CompactionRole, whose Text replaces what is left out
	Compaction *Compaction `json:"fold,omitempty"`
}

// A Compaction says what a model is no longer shown of the conversation before it. Of several compactions,
// the newest with an Upto and the one with the largest Cut count.
type Compaction struct {
	Upto int   `json:"upto,omitempty"` // entries before this index are left out
	Kept []int `json:"kept,omitempty"` // except for those with these indexes
	Cut  int   `json:"cut,omitempty"`  // the long parts of entries before this index are cut
	Was  int   `json:"was"`            // bytes that the model was shown before the compaction
	Is   int   `json:"is"`             // bytes that it is shown after the compaction
}

// A Picture is stored in a transcript by its Ref; its Data is read from storage when a model is asked.
type Picture struct {
	Ref   string `json:"ref"`
	Media string `json:"media"` // image/png, …
	Data  []byte `json:"-"`     // nil: the picture no longer exists
}

// A Call is a tool call that a model asks for. ID is unique within its conversation.
type Call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"` // usually a JSON object
	// Refused, if it is set, tells the model why this call is never run.
	Refused string `json:"refused,omitempty"`
	// Extra is data that the endpoint has to get back with the call, unchanged; usually nil.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// A Request is one question to a model.
type Request struct {
	Model string
	// reasoning effort; empty: not sent
	Effort   string
	System   string
	Messages []Message
	Tools    []Tool
	// shared by the requests of one conversation, so that the endpoint serves their
	// common prefix from its cache
	CacheKey string

	// OnRetry is called with the reason why the request is tried again, before the wait.
	OnRetry func(RetryNotice)
}

// RetryNotice says why and when a request is tried again.
type RetryNotice struct {
	Kind    endpoint.Kind
	Model   string        // the model that gave no answer
	Reason  string        // in the endpoint's words if it sent any; for the log
	Wait    time.Duration // before the next try
	Asked   bool          // the endpoint asked for the wait
	Instead string        // the model that is asked instead of Model; empty: Model again
}

// A Response is one whole answer. There are no partial answers.
type Response struct {
	Message Message
	Finish  string // stop, tool_calls, length, content_filter, refusal; only tool_calls comes with calls
	Usage   Usage
	Model   string // the model that answered; after a fallback, not the model that was asked
}

// Usage holds the tokens that an answer took, and their price.
type Usage struct {
	Input     int `json:"input"`            // tokens read, cached ones included
	Cached    int `json:"cached,omitempty"` // of Input, from the endpoint's cache
	Output    int `json:"output"`           // tokens written, reasoning included
	Reasoning int `json:"reasoning,omitempty"`
	// Estimated means that the endpoint sent no figures: these are estimated from the bytes sent and
	// received.
	Estimated bool    `json:"estimated,omitempty"`
	USD       float64 `json:"usd,omitempty"` // by the known prices
	// of Input and Output: tokens of models without a price, whose cost is not in USD
	Unpriced int `json:"unpriced,omitempty"`
}

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Output: u.Output + v.Output,
		Reasoning: u.Reasoning + v.Reasoning, USD: u.USD + v.USD, Estimated: u.Estimated || v.Estimated,
		Unpriced: u.Unpriced + v.Unpriced,
	}
}
