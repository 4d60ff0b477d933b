package judge

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// linesAbove is how many lines of the bot "use that command" may mean, the newest first.
const linesAbove = 4

// codeSpan matches what a line marks as code.
var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// testCommandMeant returns the command with which the message says that the repository is tested; empty: it
// says none, or means one above that cannot be told.
func (j *Judge) testCommandMeant(ctx context.Context, c *Case) (string, error) {
	word := c.says().TestCommand
	switch {
	case word == nil:
		return "", nil
	case !word.Above:
		return word.Line, nil
	}
	lines, err := j.Store.Lines(ctx, c.Session.ID)
	if err != nil {
		return "", err
	}
	for _, line := range slices.Backward(lines[max(0, len(lines)-linesAbove):]) {
		switch named := commandsIn(line.Text); len(named) {
		case 0:
		case 1:
			return named[0], nil
		default:
			return "", nil
		}
	}
	return "", nil
}

// commandsIn returns the different commands that a line marks as code.
func commandsIn(text string) (named []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		if findings.IsCommand(m[1]) && !slices.Contains(named, m[1]) {
			named = append(named, m[1])
		}
	}
	return named
}

// saysHowToTest reports whether the message says how the repository is tested, and its writer may say so.
// From anybody else, or as the answer to a question, it is for the agents, who may try the command.
func (c *Case) saysHowToTest() bool {
	if c.says().TestCommand == nil || c.questionWaits() || get(c, &c.testCommand) == "" {
		return false
	}
	may := get(c, &c.mayApprove)
	return may.why == "" && may.err == nil
}

// takeTestCommand stores the command that a member names. The next run tries it on the base.
func (j *Judge) takeTestCommand(ctx context.Context, c *Case) ([]store.Part, error) {
	m := c.Message
	p := c.person()
	r, known, err := j.Catalog.Current(ctx)
	if err != nil {
		return nil, err
	}
	if !known {
		return j.giveToWork(ctx, m)
	}
	line := get(c, &c.testCommand)
	if r.Test != "" {
		said := fmt.Sprintf("%s: my operator has set how %s is tested (`%s`), under `checks.test`. "+
			"Only there it can be changed.", p.Name, r.Name, r.Test)
		return append(j.ForAgents(m, ""), store.Lines(j.ProgramLine(said))), nil
	}
	told := fmt.Sprintf("%s, who may approve, says how %s is tested. The program tries that command on "+
		"the base; from then on check, done and finish use it. If work was left because nothing could be "+
		"proven, go on with it.\n%s", prompt.PersonName(p.Name), r.Name, prompt.Fence("message", m.Text))
	source := "said by " + p.Name + " in the thread"
	return append(j.ForAgents(m, told),
		progress.TestCommand{Repository: r.Name, Folder: r.Folder(), Command: line, Source: source},
		lessons.Seen{
			Repository: r.Name,
			Folder:     r.Folder(),
			Key:        lessons.KeyTest,
			Text:       "Its tests are run with: " + line,
			Source:     "said in the thread",
			Person:     p.ID,
		},
		consent.Decision{
			What:      workflow.DecideLesson,
			Allowed:   true,
			Reason:    "the test command of " + r.Name + ": " + line,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  c.Session.Revision,
		},
		store.Lines(j.ProgramLine(fmt.Sprintf("From now on %s is tested with `%s`, as %s asked. "+
			"I try it on the base first.", r.Name, line, p.Name)))), nil
}
