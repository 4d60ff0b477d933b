package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// An End is the reason why a loop ended.
type End string

// The reasons why a loop ends.
const (
	EndTool    End = "tool"    // a tool ended it, as it should
	EndSteps   End = "steps"   // the limit of steps was reached
	EndTime    End = "time"    // the limit of time was reached
	EndSilent  End = "silent"  // the model kept talking without calling a tool
	EndEmpty   End = "empty"   // the model returned empty answers
	EndCut     End = "cut"     // the model's answers were cut short, several in a row
	EndRefused End = "refused" // the model declined
	EndStuck   End = "stuck"   // the same call returned the same result again and again
	EndWrong   End = "wrong"   // a tool refused several calls in a row
	// several answers in a row held only malformed calls, which no tool can accept
	EndMalformed End = "malformed"
)

// Limits on the mistakes of a model before the loop ends. Malformed calls, which no tool can accept, are
// counted apart from calls that a tool refused: a refused call shows that the model can call tools.
const (
	maxMalformed = 3 // answers with nothing but malformed calls, in a row
	maxWrong     = 6 // wrong calls, in a row
	maxSame      = 5 // equal calls with equal results among the last ten results since the files changed
)

// A nudge is the message that the loop appends after an answer without a tool call.
type nudge struct {
	text string
	most int // answers without a call in a row at which the loop ends
	end  End
}

const silentNudge = "(program) Nobody sees text that is outside a tool call. " +
	"Call the tool that says or does what you mean."

var nudges = []nudge{
	{silentNudge, 3, EndSilent},
	{"(program) Your answer was empty. Call the tool that says or does what you mean.", 2, EndEmpty},
	{
		"(program) Your answer was cut short, and no call of it was carried out. " +
			"Call again in smaller parts.",
		3, EndCut,
	},
	{
		"(program) You declined. If it may not be done, say so in the thread by a tool; otherwise go on.", 2,
		EndRefused,
	},
}

// nudgeFor returns the text of the nudge for an answer without a tool call.
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

// A mistakeCounts counts the model's mistakes since the newest user message that is not a nudge.
type mistakeCounts struct {
	calls                    map[string]model.Call
	editing                  map[string]bool // names of the tools that change files
	edits                    map[string]bool // the calls of these tools, with their results
	silent, wrong, malformed int             // counts in a row
	nudged                   nudge
	results                  []string
	good, bad                bool // any well-formed, and any malformed, call in the newest answer with calls
}

// noProgressEnd returns the reason to end a loop whose model makes no progress, or "" if there is none. A
// message from a person resets its counts.
func noProgressEnd(messages []model.Message, tools []model.Tool) End {
	c := mistakeCounts{calls: map[string]model.Call{}, editing: map[string]bool{}, edits: map[string]bool{}}
	for _, t := range tools {
		c.editing[t.Name] = t.ChangesFiles
	}
	for _, m := range sinceLastWord(messages) {
		c.add(m)
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

func (mc *mistakeCounts) add(m model.Message) {
	for _, call := range m.Calls {
		mc.calls[call.ID] = call
	}
	switch {
	case m.Role == model.User:
		mc.nudged, _ = isNudge(m.Text)
	case m.Role == model.Assistant && len(m.Calls) == 0:
		mc.silent++
	case m.Role == model.Assistant:
		mc.silent = 0
		mc.endAnswer()
	case m.Role == model.ToolRole:
		mc.result(m)
	}
}

func (mc *mistakeCounts) result(m model.Message) {
	mc.wrong++
	if !m.Wrong {
		mc.wrong = 0
	}
	mc.good = mc.good || !m.Malformed
	mc.bad = mc.bad || m.Malformed
	hash := callResultHash(mc.calls[m.CallID], model.WithoutNumber(model.WithoutDuration(m.Text)))
	if mc.editing[mc.calls[m.CallID].Name] && !m.Wrong && !mc.edits[hash] {
		mc.edits[hash] = true
		mc.results = nil // a build after this edit is not the build before it
	}
	mc.results = append(mc.results, hash)
}

// endAnswer updates the count of malformed answers once the calls of an answer have their results.
func (mc *mistakeCounts) endAnswer() {
	switch {
	case mc.good:
		mc.malformed = 0
	case mc.bad:
		mc.malformed++
	}
	mc.good, mc.bad = false, false
}

// sinceLastWord returns the messages after the newest user message that is not a nudge.
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

// repeats returns how often the most frequent of the last ten results occurs.
func repeats(results []string) int {
	count := map[string]int{}
	most := 0
	for _, r := range results[max(0, len(results)-10):] {
		count[r]++
		most = max(most, count[r])
	}
	return most
}

func callResultHash(c model.Call, result string) string {
	sum := sha256.Sum256([]byte(c.Name + "\x00" + string(c.Args) + "\x00" + result))
	return hex.EncodeToString(sum[:])
}
