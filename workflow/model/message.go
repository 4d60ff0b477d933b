package model

import (
	"encoding/json"
	"time"

	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
)

// Role says who a message is from.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
	// Folded entries are for the program: they say how much of a conversation a model is shown.
	// They are kept, and never sent.
	Folded Role = "folded"
)

// A Message is one entry of a conversation. Its JSON form is kept in transcripts: names
// may be added, never changed.
type Message struct {
	Role   Role   `json:"role"`
	Text   string `json:"text,omitempty"`
	Calls  []Call `json:"calls,omitempty"`   // what an assistant asks for, in order
	CallID string `json:"call_id,omitempty"` // of a tool result: the Call it answers
	Wrong  bool   `json:"wrong,omitempty"`   // of a tool result: the call was the model's mistake
	// Malformed, of a Wrong result: the call was none, and no tool has seen it.
	Malformed bool `json:"malformed,omitempty"`
	Failed    bool `json:"failed,omitempty"` // of a tool result: what was run did not succeed
	// Pictures, of a user message, follow its text for a model that can see; another is told
	// in words that nobody looked at them.
	Pictures []Picture `json:"pictures,omitempty"`
	From     string    `json:"from,omitempty"` // of a user message: the Slack user, where there is one; kept, not sent: say it in Text
	Fold     *Fold     `json:"fold,omitempty"` // of a folded entry, whose Text stands for what is left out
}

// A Fold says what a model is not shown any more of the conversation before it. The newest that
// leaves out, and the one that cuts furthest, count.
type Fold struct {
	Upto int   `json:"upto,omitempty"` // entries before this one are left out
	Kept []int `json:"kept,omitempty"` // but for these
	Cut  int   `json:"cut,omitempty"`  // of entries before this one, what is long is cut
	Was  int   `json:"was"`            // bytes that the model was shown before
	Is   int   `json:"is"`             // and since
}

// A Picture is named in a transcript, and read from where it is kept when a model is asked.
type Picture struct {
	Ref   string `json:"ref"`
	Media string `json:"media"` // image/png, …
	Data  []byte `json:"-"`     // nil: it is not there any more
}

// A Call is one use of a tool that a model asks for. ID is unique within its conversation.
type Call struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"` // a JSON object as a rule
	// Refused, where it is set, says in words for the model why this call is never run.
	Refused string `json:"refused,omitempty"`
	// Extra is what the endpoint wants back with the call, as it was; none as a rule.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// A Request is one question to a model.
type Request struct {
	Model     string
	Effort    string // reasoning effort; sent only where it is set
	System    string
	Messages  []Message
	Tools     []Tool
	MaxTokens int    // of the answer, reasoning included; 0 leaves it to the endpoint
	CacheKey  string // requests of one conversation share it, so that their common prefix is served from the endpoint's cache

	// OnText hears the answer's text as it arrives. A failed attempt that had already
	// said something is announced by OnRetry; its text is void then.
	OnText func(delta string)
	// OnRetry hears why the request is asked again. It is called before the wait.
	OnRetry func(Again)
}

// Again is why a request is asked once more, and when.
type Again struct {
	Kind    endpoint.Kind
	Model   string        // that gave no answer
	Reason  string        // in the endpoint's words where it had any: for the log
	Wait    time.Duration // before the next try
	Asked   bool          // the endpoint asked for the wait
	Instead string        // the model that is asked now in place of Model; empty for the same
}

// A Response is one whole answer. There is no such thing as half of one.
type Response struct {
	Message Message
	Finish  string // stop, tool_calls, length, content_filter, refusal; only tool_calls comes with calls
	Usage   Usage
	Model   string // the model that answered: another than was asked after a fallback
}

// Usage is what an answer took.
type Usage struct {
	Input     int `json:"input"`            // tokens read, cached ones included
	Cached    int `json:"cached,omitempty"` // of Input, from the endpoint's cache
	Output    int `json:"output"`           // tokens written, reasoning included
	Reasoning int `json:"reasoning,omitempty"`
	// Estimated: the endpoint sent no figures; these are from the bytes that went over.
	Estimated bool    `json:"estimated,omitempty"`
	USD       float64 `json:"usd,omitempty"` // by the configured prices; 0 where there are none
}

// Add is the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Output: u.Output + v.Output,
		Reasoning: u.Reasoning + v.Reasoning, USD: u.USD + v.USD, Estimated: u.Estimated || v.Estimated,
	}
}
