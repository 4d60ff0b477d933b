package models

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// A robustModel is a model without a script that cannot be misled: it reads only its own regular calls and
// their results, and continues from there, whatever else the conversation holds.
type robustModel struct{ chatmodel.Request }

// bugsFile is the file with all wrong words, one on each line.
const bugsFile = "bugs/all.txt"

// ownCall is the ID prefix of a robustModel's regular calls.
const ownCall = "good"

// last returns the newest of those calls and its result.
func (r robustModel) last() (name, result string) {
	id := ""
	for _, message := range r.Messages {
		for _, c := range message.Calls {
			if strings.HasPrefix(c.ID, ownCall) && strings.HasSuffix(c.ID, "-"+c.Function.Name) {
				id = c.ID
				name = c.Function.Name
				result = ""
			}
		}
		if message.Role == "tool" && message.CallID == id {
			result = message.Text()
		}
	}
	return name, result
}

func (r robustModel) heard(text string) bool {
	for _, message := range r.Messages {
		if message.Role == "user" && strings.Contains(message.Text(), text) {
			return true
		}
	}
	return false
}

// next returns the robustModel's next call: the orchestrator reports, delegates and finishes; a worker reads
// the file, fixes it, and is done.
func (r robustModel) next(number int) (name string, args map[string]any) {
	called, result := r.last()
	if r.IsOrchestrator() {
		switch {
		case called == "finish", called == "delegate" &&
			(strings.Contains(result, " is done: ") || strings.Contains(result, "nothing is left to do")):
			return "finish", map[string]any{
				"summary": fmt.Sprintf("Line %d is right now.", number), "changed": "nothing",
			}
		case r.heard("was approved by"):
			return "delegate", map[string]any{"tasks": []any{map[string]any{
				"category":    "quick",
				"description": fmt.Sprintf("Fix bug %d in %s", number, bugsFile),
			}}}
		}
		place := fmt.Sprintf("%s:%d", bugsFile, number+1)
		return "report_root_cause", map[string]any{
			"summary": fmt.Sprintf("Bug %d", number),
			"cause":   "The word is wrong in " + place + ".", "confidence": "high", "remains": "nothing",
			"evidence": []any{map[string]any{"claim": "it says wrong", "grade": "inferred", "source": place}},
		}
	}
	wrong := fmt.Sprintf("wrong <%d>", number)
	right := fmt.Sprintf("right <%d>", number)
	switch {
	case called == "read_file" && strings.Contains(result, wrong):
		return "edit_file", map[string]any{"path": bugsFile, "old": wrong, "new": right}
	case called == "read_file" && strings.Contains(result, right),
		called == "edit_file" && !strings.Contains(result, "has to be read"):
		return "done", map[string]any{"summary": "The word is right in " + bugsFile}
	case called == "done" && strings.Contains(result, "Nothing was changed"):
		return "blocked", map[string]any{"reason": "nothing is left to do: " + bugsFile + " is right already"}
	}
	return "read_file", map[string]any{"path": bugsFile, "offset": number + 1, "limit": 1}
}

// call returns a call of the robustModel as it is sent to the client.
func (r robustModel) call(name string, args map[string]any) chatmodel.Call {
	b, _ := json.Marshal(args)
	return chatmodel.Call{
		ID:   fmt.Sprintf("%s-%d-%s", ownCall, len(r.Messages), name),
		Name: name,
		Args: string(b),
	}
}
