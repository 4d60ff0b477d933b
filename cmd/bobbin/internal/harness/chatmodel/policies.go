package chatmodel

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// BugNumber matches the number of the bug that a conversation is about.
var BugNumber = regexp.MustCompile(`bug (\d+)`)

var bugFile = regexp.MustCompile(`Fix bug \d+ in (bugs/\w+\.txt)`)

// NumberedBugs returns the files that FixNumberedBug fixes: two for each of n bugs.
func NumberedBugs(n int) (files []txtar.File) {
	for n := range n {
		for _, part := range []string{"", "b"} {
			files = append(files, txtar.File{
				Name: fmt.Sprintf("bugs/%d%s.txt", n, part),
				Data: fmt.Appendf(nil, "wrong %d\n", n),
			})
		}
	}
	return files
}

// TasksOfBug returns how many tasks FixNumberedBug delegates for a bug: two in parallel for every third bug,
// otherwise one.
func TasksOfBug(bug int) int {
	if bug%3 == 1 {
		return 2
	}
	return 1
}

// FixNumberedBug is a Policy that fixes "bug N", whose files are bugs/N.txt and bugs/Nb.txt. The
// orchestrator reports, delegates and finishes; a worker reads and edits its file, runs a command for every
// third bug, and is done.
func FixNumberedBug(r Request) (tool string, args map[string]any) {
	if r.isCritic() {
		return nothingFound()
	}
	last, said, called := "", "", ""
	for _, m := range r.Messages[1:] {
		last = m.Text()
		said += last
		for _, call := range m.Calls {
			called = call.Function.Name
		}
	}
	number := "0"
	if m := BugNumber.FindStringSubmatch(said); m != nil {
		number = m[1]
	}
	if r.IsOrchestrator() {
		return leadNumberedBug(number, last, said, called)
	}
	file := "bugs/" + number + ".txt"
	if m := bugFile.FindStringSubmatch(said); m != nil {
		file = m[1]
	}
	return workOnNumberedBug(number, file, last, called)
}

func leadNumberedBug(number, last, said, called string) (string, map[string]any) {
	n, _ := strconv.Atoi(number)
	switch {
	case called == "delegate" && strings.Contains(last, "is done"):
		return "finish", map[string]any{"summary": "Line " + number + " is right now.", "changed": "nothing"}
	case strings.Contains(said, "was approved by"):
		list := []any{map[string]any{
			"category":    "quick",
			"description": "Fix bug " + number + " in bugs/" + number + ".txt",
		}}
		if TasksOfBug(n) == 2 {
			list = append(list, map[string]any{
				"category":    "quick",
				"description": "Fix bug " + number + " in bugs/" + number + "b.txt",
			})
		}
		return "delegate", map[string]any{"tasks": list}
	}
	return "report_root_cause", map[string]any{
		"summary":    "Bug " + number,
		"cause":      "The word is wrong in bugs/" + number + ".txt:1.",
		"confidence": "high",
		"remains":    "nothing",
		"evidence": []any{map[string]any{
			"claim":  "it says wrong",
			"grade":  "inferred",
			"source": "bugs/" + number + ".txt:1",
		}},
	}
}

func workOnNumberedBug(number, file, last, called string) (string, map[string]any) {
	n, _ := strconv.Atoi(number)
	right := strings.Contains(last, "right "+number)
	switch {
	case called == "read_file" && !right:
		return "edit_file", map[string]any{"path": file, "old": "wrong " + number, "new": "right " + number}
	case called == "edit_file" && strings.Contains(last, "has to be read"):
		return "read_file", map[string]any{"path": file}
	case n%3 == 2 && (called == "edit_file" || called == "read_file"):
		return "run", map[string]any{"command": "grep -c right " + file}
	case called == "edit_file", called == "read_file", called == "run":
		return "done", map[string]any{"summary": "The word is right in " + file}
	}
	return "read_file", map[string]any{"path": file}
}

var (
	fixedFile = regexp.MustCompile(`fixed/\d+\.txt`)
	taskDone  = regexp.MustCompile(`Task \d+ is done`)
)

// FixOneWord is a Policy that fixes the word in bugs/0.txt by writing files in fixed/. Its summary differs
// each time that it finishes.
func FixOneWord(r Request) (tool string, args map[string]any) {
	if r.isCritic() {
		return nothingFound()
	}
	unanswered := "" // since the model's last answer
	times := map[string]int{}
	for _, m := range r.Messages[1:] {
		unanswered += m.Text()
		if m.Role == "assistant" {
			unanswered = ""
		}
		for _, call := range m.Calls {
			times[call.Function.Name]++
		}
	}
	switch {
	case !r.IsOrchestrator() && times["write_file"] == 0:
		return "write_file", map[string]any{"path": fixedFile.FindString(unanswered), "content": "right\n"}
	case !r.IsOrchestrator():
		return "done", map[string]any{"summary": "It is written."}
	case taskDone.MatchString(unanswered), strings.Contains(unanswered, "push again"):
		count := [...]string{"", "once", "twice", "thrice"}
		return "finish", map[string]any{
			"summary": "The word is right. Pushed " + count[times["finish"]+1] + ".",
			"changed": "nothing",
		}
	case strings.Contains(unanswered, "was approved by"), strings.Contains(unanswered, "another one"):
		path := fmt.Sprintf("fixed/%d.txt", times["delegate"]+1)
		return "delegate", map[string]any{
			"tasks": []any{map[string]any{"category": "quick", "description": "Write " + path}},
		}
	}
	return "report_root_cause", map[string]any{
		"summary": "The word is wrong", "cause": "It says wrong in bugs/0.txt:1.", "confidence": "high",
		"remains": "nothing",
		"evidence": []any{
			map[string]any{"claim": "it says wrong", "grade": "inferred", "source": "bugs/0.txt:1"},
		},
	}
}
