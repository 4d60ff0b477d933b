package evidence

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// A Past is what a report can be based on: what its agent was shown in the session, and the commands
// that were run.
type Past struct {
	Messages []model.Message
	Commands []progress.Command
	Attached []workflow.Attachment
	Sources  []string // names of the sources that may be asked
	Others   []string // names of the other repositories that were read
}

// NotSeen names what is graded as observed but was neither run nor read in the session. It returns an
// empty string if there is nothing.
func (p Past) NotSeen(evidence []workflow.Evidence) string {
	var unread, unrun, unknown, unasked []string
	for _, e := range evidence {
		if e.Grade != workflow.GradeObserved || p.ran(e.Source) {
			continue
		}
		if name := p.sourceIn(e.Source); name != "" {
			if !p.asked(name, e.Source) {
				cut := plaintext.CutLine(e.Source, maxCheckText)
				unasked = append(unasked, plaintext.QuoteLine(cut))
			}
			continue
		}
		runs := RunsIn(e.Source)
		unknown = append(unknown, p.unknownRuns(runs)...)
		places := PlacesOf(e.Source)
		for _, place := range places {
			if !p.Read(place) && !slices.Contains(unread, place.String()) {
				unread = append(unread, place.String())
			}
		}
		if len(places) == 0 && len(runs) == 0 && findings.IsCommand(e.Source) {
			unrun = append(unrun, findings.ProbeText(e.Source))
		}
	}
	var missing []string
	if len(unread) > 0 {
		missing = append(missing, fmt.Sprintf("You have not read these lines in this session: %s. Read "+
			"them, or grade what rests on them as inferred.", strings.Join(unread, ", ")))
	}
	if len(unrun) > 0 {
		missing = append(missing, fmt.Sprintf("These were not run in this session: %s. Run them, and give "+
			"the number of the run (run N), or grade what rests on them as inferred.",
			strings.Join(unrun, ", ")))
	}
	if len(unknown) > 0 {
		missing = append(missing, fmt.Sprintf("There is no %s in this session. The first line of each "+
			"result of run and check has its number.", strings.Join(unknown, ", no ")))
	}
	if len(unasked) > 0 {
		missing = append(missing, fmt.Sprintf("No answer in this session shows %s. Ask that source, and "+
			"name it with the query as you asked it, or grade what rests on it as inferred.",
			strings.Join(unasked, ", ")))
	}
	return strings.Join(missing, " ")
}

// ran reports whether a source names a command that was run, alone or followed by what it printed.
func (p Past) ran(source string) bool {
	source = plaintext.OneLine(strings.Trim(strings.TrimSpace(source), "`"))
	return source != "" && slices.ContainsFunc(p.Commands, func(c progress.Command) bool {
		ran := plaintext.OneLine(c.Command)
		return ran != "" && (strings.Contains(source, ran) || strings.Contains(ran, source))
	})
}

// A Location is the lines First to Last of a file that a source names.
type Location struct {
	Path        string
	First, Last int
}

func (l Location) String() string { return fmt.Sprintf("%s:%d", l.Path, l.First) }

var locationPattern = regexp.MustCompile(worktree.LocationPattern.String() + `(?:[-–](\d+))?`)

// PlacesOf returns the lines that a source names. A file in a folder that is named without a line
// stands for its first line.
func PlacesOf(source string) (places []Location) {
	add := func(path, first, last string) {
		p := Location{Path: strings.TrimPrefix(path, "./")}
		p.First, _ = strconv.Atoi(first)
		if p.Last, _ = strconv.Atoi(last); p.Last < p.First {
			p.Last = p.First
		}
		places = append(places, p)
	}
	for _, m := range locationPattern.FindAllStringSubmatch(source, -1) {
		add(m[1], m[2], m[3])
	}
	if path, line := worktree.SplitLocation(source); len(places) == 0 && path != "" {
		add(path, line, "")
	}
	return places
}

// Read reports whether the agent was shown those lines: by a tool that reads, in the output of a
// command, by a command that names the file, or in a diff. An attachment is recognised by its name.
func (p Past) Read(at Location) bool {
	if slices.ContainsFunc(p.Attached,
		func(a workflow.Attachment) bool { return a.Name == at.Path || a.Name == path.Base(at.Path) }) {
		return true
	}
	calls := map[string]model.Call{}
	at.Path = p.known(at.Path)
	for _, m := range p.Messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		if m.Role == model.ToolRole && !m.Wrong && p.shownBy(at, calls[m.CallID], m.Text) {
			return true
		}
	}
	return false
}

// shownPage matches the first line of a result of read_file.
var shownPage = regexp.MustCompile(`(?m)^(.+), lines (\d+)-(\d+) of \d+`)

// foundLine matches a line of a result of search_file.
var foundLine = regexp.MustCompile(`(?m)^(\d+)[:-] `)

// known returns a path without a name before it that is not of another repository that was read.
func (p Past) known(path string) string {
	if name, rest := tool.SplitRepository(path); !slices.Contains(p.Others, name) {
		return rest
	}
	return path
}

// repositoryOf returns the name of the other repository that a path names, or an empty string.
func (p Past) repositoryOf(path string) string {
	name, _ := tool.SplitRepository(p.known(path))
	return name
}

// shownBy reports whether a call showed a place. A call on another repository shows nothing but places there.
func (p Past) shownBy(l Location, c model.Call, text string) bool {
	var in struct{ Path, Command string }
	_ = json.Unmarshal(c.Args, &in) // the call was carried out, so its arguments are valid
	of := p.repositoryOf(l.Path)
	if p.repositoryOf(in.Path) != of {
		return false
	}
	_, file := tool.SplitRepository(l.Path)
	switch {
	case c.Name == "run" && strings.Contains(in.Command, path.Base(l.Path)):
		return true
	case c.Name == "read_file":
		m := shownPage.FindStringSubmatch(text)
		if m == nil || !l.isFile(m[1]) {
			return false
		}
		first, _ := strconv.Atoi(m[2])
		last, _ := strconv.Atoi(m[3])
		return l.Last >= first && l.First <= last
	case c.Name == "search_file":
		return l.isFile(p.known(in.Path)) && slices.ContainsFunc(foundLine.FindAllStringSubmatch(text, -1),
			func(m []string) bool {
				n, _ := strconv.Atoi(m[1])
				return l.First <= n && n <= l.Last
			})
	}
	return Names(text, l.String()) || strings.Contains(text, "b/"+file)
}

// Names reports whether a text contains a place word for word, and not as a part of another place, as
// a.go:1 is a part of a.go:12.
func Names(text, place string) bool {
	for from := 0; ; from++ {
		at := strings.Index(text[from:], place)
		if at < 0 {
			return false
		}
		from += at
		before := text[:from]
		after := text[from+len(place):]
		if (before == "" || !inName(before[len(before)-1])) &&
			(after == "" || after[0] < '0' || after[0] > '9') {
			return true
		}
	}
}

// inName reports whether c before a place belongs to the same file name. A slash does not count, since
// a place may follow a folder.
func inName(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' ||
		c == '-' || c == '.'
}

// Contains reports whether the line of the file is among those of the place.
func (l Location) Contains(path string, line int) bool {
	return l.isFile(path) && l.First <= line && line <= l.Last
}

// isFile reports whether the place is in the file that a tool shows as shown. A place that is given by the
// end of its path matches every file that ends so.
func (l Location) isFile(shown string) bool { return EndsLike(shown, l.Path) }

// EndsLike reports whether a path is end, or ends with it behind a slash: "a/b/c.go" like "b/c.go".
func EndsLike(full, end string) bool {
	full = path.Clean(full)
	end = path.Clean(end)
	return full == end || strings.HasSuffix(full, "/"+end)
}

// ExampleMissing says what a report lacks about the reporter's own example. It returns an empty string
// if nothing is missing.
func (p Past) ExampleMissing(example string) string {
	switch {
	case example == "" && p.reporterGaveCode():
		return `The reporter gave an example. Run it here, and say in example whether it "fails", ` +
			`"passes", or "cannot_run" here; "none", where that is no example of the bug.`
	case (example == "fails" || example == "passes") && len(p.Commands) == 0:
		return fmt.Sprintf(`Nothing was run in this session, so that the reporter's example %s is not `+
			`known. Run it, or say "cannot_run".`, example)
	}
	return ""
}

// reporterGaveCode reports whether a person wrote a block of code in the thread.
func (p Past) reporterGaveCode() bool {
	return slices.ContainsFunc(p.Messages, func(m model.Message) bool {
		_, message, found := strings.Cut(m.Text, "<message>\n")
		return found && m.Role == model.User && strings.Contains(message, "```")
	})
}

// toldOf begins what a model is told about a reproduction that does not show the bug by how it ends.
const toldOf = "Not posted yet. The reproduction "

// WeakReproduction says that the ending of a reproduction does not show the bug. It returns an empty
// string if the ending does, or if the model was told so before. elsewhere names the other branches on which
// the program runs a command that passes here.
func (p Past) WeakReproduction(c progress.Command, elsewhere []string) string {
	why := EndsWithoutShowing(c)
	if why == "" {
		return ""
	}
	said := toldOf + why + ":\n" + c.Command + "\n"
	if p.WasTold(said) {
		return ""
	}
	said += "Give to run, and then here, a command that fails because of the bug and would pass " +
		"without it, such as one that compares what is printed. Where there is none, " +
		"report again as it is; people are told how it ended."
	if c.ExitCode == 0 && len(elsewhere) > 0 {
		said += " The program then runs it on " + plaintext.FirstOf(elsewhere, maxElsewhere) + ", too, and " +
			"tells people where it fails: say in cause that the bug does not show here."
	}
	return said
}

// maxElsewhere is how many branches a model is told of.
const maxElsewhere = 4

// WasTold reports whether a refusal that the model got before contains the text.
func (p Past) WasTold(message string) bool {
	return slices.ContainsFunc(p.Messages, func(m model.Message) bool {
		return m.Role == model.ToolRole && m.Wrong && strings.Contains(m.Text, message)
	})
}

// EndsWithoutShowing returns why the ending of a command does not show a bug, or an empty string if it
// may show one.
func EndsWithoutShowing(c progress.Command) string {
	switch {
	case c.ExitCode == -1:
		return "was stopped before it ended"
	case c.ExitCode == 126 || c.ExitCode == 127:
		return fmt.Sprintf("ended with exit code %d: a command of it is not there, or cannot be run",
			c.ExitCode)
	}
	if behind := plaintext.OneLine(project.FixedEnd(c.Command)); behind != "" {
		return fmt.Sprintf("ended with exit code %d whatever happens, since `%s` is its end",
			c.ExitCode, behind)
	}
	if c.ExitCode == 0 {
		return "ended with exit code 0, as if nothing were wrong"
	}
	return ""
}
