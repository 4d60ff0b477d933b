package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// End says why a loop ended.
type End string

// The ends of a loop.
const (
	EndTool      End = "tool"      // a tool ended it, as it should
	EndSteps     End = "steps"     // the limit of steps was reached
	EndTime      End = "time"      // the limit of time was reached
	EndSilent    End = "silent"    // the model went on talking without calling a tool
	EndEmpty     End = "empty"     // the model said nothing at all
	EndCut       End = "cut"       // the model's answers were cut short one after another
	EndRefused   End = "refused"   // the model will not do it
	EndStuck     End = "stuck"     // the same call with the same result, over and over
	EndWrong     End = "wrong"     // one call after another that a tool refused
	EndMalformed End = "malformed" // one answer after another whose calls no tool could take
)

// How often a model may go astray before the loop ends. A call that no tool could take is
// told apart from one that a tool refused: the second shows that the model can call.
const (
	maxMalformed = 3 // answers with nothing but malformed calls, in a row
	maxWrong     = 6 // wrong calls, in a row
	maxSame      = 5 // equal calls with equal results among the last ten
)

// A nudge follows an answer without a call.
type nudge struct {
	text string
	most int // such answers in a row, before the loop ends
	end  End
}

const silentNudge = "(program) Nobody sees text that is outside a tool call. Call the tool that says or does what you mean."

var nudges = []nudge{
	{silentNudge, 3, EndSilent},
	{"(program) Your answer was empty. Call the tool that says or does what you mean.", 2, EndEmpty},
	{"(program) Your answer was cut short, and no call of it was carried out. Call again in smaller parts.", 3, EndCut},
	{"(program) You declined. If it may not be done, say so in the thread by a tool; otherwise go on.", 2, EndRefused},
}

// nudgeFor is what an answer without a call is followed by.
func nudgeFor(answer model.Response) string {
	end := EndSilent
	switch {
	case answer.Finish == model.FinishLength || answer.Finish == model.FinishFilter:
		end = EndCut
	case answer.Finish == model.FinishRefusal:
		end = EndRefused
	case strings.TrimSpace(answer.Message.Text) == "":
		end = EndEmpty
	}
	for _, n := range nudges {
		if n.end == end {
			return n.text
		}
	}
	return silentNudge
}

func isNudge(text string) (nudge, bool) {
	for _, n := range nudges {
		if n.text == text {
			return n, true
		}
	}
	return nudge{}, false
}

// A course is how a conversation went since somebody last wrote.
type course struct {
	calls                    map[string]model.Call
	silent, wrong, malformed int // in a row
	nudged                   nudge
	results                  []string
	good, bad                bool // calls of the newest answer that has any
}

// astray looks at the end of the conversation for a model that gets nowhere. What people
// wrote resets it.
func astray(messages []model.Message) End {
	c := course{calls: map[string]model.Call{}}
	for _, m := range sinceLastWord(messages) {
		c.follow(m)
	}
	c.endAnswer()
	switch {
	case c.silent > 0 && c.silent >= c.nudged.most:
		return c.nudged.end
	case c.malformed >= maxMalformed:
		return EndMalformed
	case c.wrong >= maxWrong:
		return EndWrong
	case repeats(c.results) >= maxSame:
		return EndStuck
	}
	return ""
}

func (c *course) follow(m model.Message) {
	for _, call := range m.Calls {
		c.calls[call.ID] = call
	}
	switch {
	case m.Role == model.User:
		c.nudged, _ = isNudge(m.Text)
	case m.Role == model.Assistant && len(m.Calls) == 0:
		c.silent++
	case m.Role == model.Assistant:
		c.silent = 0
		c.endAnswer()
	case m.Role == model.ToolRole:
		c.result(m)
	}
}

func (c *course) result(m model.Message) {
	c.wrong++
	if !m.Wrong {
		c.wrong = 0
	}
	c.good, c.bad = c.good || !m.Malformed, c.bad || m.Malformed
	c.results = append(c.results, signature(c.calls[m.CallID], model.WithoutDuration(m.Text)))
}

// endAnswer counts an answer when its calls have their results.
func (c *course) endAnswer() {
	switch {
	case c.good:
		c.malformed = 0
	case c.bad:
		c.malformed++
	}
	c.good, c.bad = false, false
}

// sinceLastWord is the conversation after the newest thing that was not the model's own.
func sinceLastWord(messages []model.Message) []model.Message {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != model.User {
			continue
		}
		if _, own := isNudge(messages[i].Text); !own {
			return messages[i+1:]
		}
	}
	return messages
}

// repeats is how often the commonest of the last ten results came.
func repeats(results []string) int {
	count, most := map[string]int{}, 0
	for _, r := range results[max(0, len(results)-10):] {
		count[r]++
		most = max(most, count[r])
	}
	return most
}

func signature(c model.Call, result string) string {
	sum := sha256.Sum256([]byte(c.Name + "\x00" + string(c.Args) + "\x00" + result))
	return hex.EncodeToString(sum[:])
}
