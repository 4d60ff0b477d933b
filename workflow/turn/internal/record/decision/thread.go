package decision

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// A ThreadQuestion is the input of read_thread.
type ThreadQuestion struct {
	From   int    `json:"from,omitempty"`
	Words  string `json:"words,omitempty"`
	Person string `json:"person,omitempty"`
	Link   string `json:"link,omitempty"`
}

// ReadThreadName is the name of the tool that reads a thread.
const ReadThreadName = "read_thread"

// ReadingThread returns the tool that reads messages of the thread. It decides nothing, and what it returned
// may be left out when a conversation is summarised.
func ReadingThread(read func(context.Context, ThreadQuestion) (model.Result, error)) model.Tool {
	return newTool(ReadThreadName, read)
}
