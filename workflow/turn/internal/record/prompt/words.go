package prompt

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// WithoutJSONFlag returns a command as people write it: without -json after go test, which the
// program adds to count tests.
func WithoutJSONFlag(command string) string {
	return strings.Replace(command, "go test -json ", "go test ", 1)
}

// UnreadRefusal is the refusal of a tool call that would end a turn before its agent
// has read what people wrote.
const UnreadRefusal = "Somebody wrote in the thread meanwhile; you are shown it now. " +
	"Take it into account and call this again."

// HaltedRefusal is the refusal of a tool call that would continue stopped work.
const HaltedRefusal = "Refused: somebody stopped this work, and nobody who may approve has said \"go on\" " +
	"since. Answer what was written, say that \"go on\" is waited for, and wait."

// Quote returns the text as a quote in Slack's markup.
func Quote(text string) string {
	return "> " + strings.ReplaceAll(plaintext.UnifyLineEnds(strings.TrimSpace(text)), "\n", "\n> ")
}

// EnteredText returns the text of a form that had no effect, so that the person does not lose it. It is
// empty for any other message.
func EnteredText(m workflow.Message) string {
	if m.Kind != workflow.MessageForm {
		return ""
	}
	return " What you entered was:\n" + Quote(m.Text)
}

func Wrong(format string, args ...any) model.Result {
	return model.Result{Wrong: true, Text: fmt.Sprintf(format, args...)}
}

func ShortHash(commit string) string {
	if len(commit) > 7 {
		return commit[:7]
	}
	return commit
}

func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return plaintext.CutLine(line, 200)
}

// LeftLine returns the line that says what was left as it was, or an empty string. Only the first line
// of left is used, since a further line could look as if somebody else had signed it.
func LeftLine(left string) string {
	left, _, _ = strings.Cut(strings.TrimSpace(left), "\n")
	if left = plaintext.OneLine(left); left == "" {
		return ""
	}
	return "\nLeft as it was: " + plaintext.CutWord(left, 800)
}
