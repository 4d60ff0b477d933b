package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxTasks   = 20  // tasks on a card; docs.slack.dev names no limit for the tasks of a plan
	maxTask    = 110 // characters of one task
	maxRunning = 90  // characters of a running command
)

// cardName is the default signature of cards.
const cardName = "orchestrator"

// A CardFace configures how cards look: with Slack's plan and task_card blocks, or with plain blocks if the
// endpoint does not know them.
type CardFace struct {
	Name  string
	Plain bool
}

// Render renders a card. The text holds everything that the blocks show, for notifications, for searches and
// for clients without blocks.
func (cf CardFace) Render(c *workflow.Card) Part {
	return Part{Key: c.Key, Text: cf.renderText(c), Blocks: cf.renderBlocks(c)}
}

func (cf CardFace) renderText(c *workflow.Card) string {
	signature := workflow.SignatureIn(cmp.Or(cf.Name, cardName), c.Part)
	name := mrkdwn.Escape(mrkdwn.OneLine(signature, 80))
	first := "[" + name + "] " + mrkdwn.Escape(headline(c)+running(c))
	return strings.Join(append([]string{first}, taskLines(c)...), "\n")
}

// headline returns the headline with the program's mark: only the program makes cards.
func headline(c *workflow.Card) string { return workflow.Mark + " " + c.Headline() }

// running returns the suffix of the headline that shows the running command, or an empty string.
func running(c *workflow.Card) string {
	if c.Running == "" {
		return ""
	}
	return fmt.Sprintf(" · %s for %s", cardText(c.Running, maxRunning), plaintext.FormatDuration(c.Ran))
}

// taskLines returns the tasks as lines, and a last line with the number of tasks that are left out.
func taskLines(c *workflow.Card) (lines []string) {
	for _, t := range shownTasks(c) {
		lines = append(lines,
			mrkdwn.Escape(fmt.Sprintf("%d. %s (%s)", t.Number, taskTitle(t), taskWords(c, t))))
	}
	if more := len(c.Tasks) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return lines
}

// shownTasks returns the last 20 tasks, since work goes on there.
func shownTasks(c *workflow.Card) []workflow.CardTask {
	return c.Tasks[max(0, len(c.Tasks)-maxTasks):]
}

// taskTitle returns a task's label and title as plain text without links.
func taskTitle(t workflow.CardTask) string {
	return cardText(strings.TrimSpace(t.Label+" "+workflow.Unmark(t.Title)), maxTask)
}

// cardText returns text by others as one line of plain text, without links and without the program's mark.
func cardText(text string, most int) string {
	return markupReplacer.Replace(mrkdwn.BreakAddresses(workflow.WithoutMark(mrkdwn.OneLine(text, most))))
}

// markupReplacer replaces characters that could be markup. A plan's titles are not text objects, and Slack
// does not document whether <!channel> in one mentions people.
var markupReplacer = strings.NewReplacer("<", "‹", ">", "›", "&", "＆")

func taskWords(c *workflow.Card, t workflow.CardTask) string {
	if unfinished(c, t) {
		return "not finished"
	}
	words := map[workflow.TaskState]string{
		workflow.TaskOpen:    "waits",
		workflow.TaskWorking: "at work",
		workflow.TaskDone:    "done",
		workflow.TaskBlocked: "blocked",
		workflow.TaskFailed:  "failed",
		workflow.TaskDropped: "taken over",
		workflow.TaskClashes: "clashes with another",
	}[t.State]
	if t.State == workflow.TaskWorking && t.Failures > 0 {
		words += fmt.Sprintf(", attempt %d", t.Failures+1)
	}
	if t.Took > 0 {
		words += ", " + plaintext.FormatDuration(t.Took)
	}
	return words
}

// unfinished reports whether the run ended before the task was finished.
func unfinished(c *workflow.Card, t workflow.CardTask) bool {
	cutOff := t.State == workflow.TaskFailed && t.Failures == 0
	return c.Ended && (t.State == workflow.TaskOpen || t.State == workflow.TaskWorking || cutOff)
}

// taskStatus returns Slack's status for the task's state.
func taskStatus(c *workflow.Card, t workflow.CardTask) slack.TaskCardStatus {
	switch {
	case t.State == workflow.TaskDone:
		return slack.TaskCardStatusComplete
	case t.State == workflow.TaskOpen, unfinished(c, t):
		return slack.TaskCardStatusPending
	case t.State == workflow.TaskWorking:
		return slack.TaskCardStatusInProgress
	}
	return slack.TaskCardStatusError
}

func (cf CardFace) renderBlocks(c *workflow.Card) []slack.Block {
	blocks := plainCard(c)
	if !cf.Plain && len(c.Tasks) > 0 { // the documentation does not say whether a plan may be empty
		blocks = []slack.Block{planCard(c)}
	}
	if c.Stop == "" {
		return blocks
	}
	stop := workflow.Button{ActionID: workflow.ButtonStop, Label: "Stop", Style: "danger", Value: c.Stop}
	return append(blocks, buttonRow([]workflow.Button{stop}, map[workflow.ActionID]int{}))
}

// planCard returns the card as a plan block with its tasks.
func planCard(c *workflow.Card) slack.Block {
	var tasks []*slack.TaskCardBlock
	for _, t := range shownTasks(c) {
		title := fmt.Sprintf("%d. %s", t.Number, taskTitle(t))
		if words := taskWords(c, t); !slices.Contains([]string{"waits", "done", "at work"}, words) {
			// the icon shows these
			title += " (" + words + ")"
		}
		tasks = append(tasks,
			slack.NewTaskCardBlock(fmt.Sprintf("task-%d", t.Number), title).WithStatus(taskStatus(c, t)))
	}
	if more := len(c.Tasks) - len(tasks); more > 0 {
		tasks = append(tasks, slack.NewTaskCardBlock("more",
			fmt.Sprintf("… and %d more", more)).WithStatus(slack.TaskCardStatusComplete))
	}
	return slack.NewPlanBlock(headline(c) + running(c)).WithTasks(tasks...)
}

// plainCard returns the card in blocks that every endpoint knows.
func plainCard(c *workflow.Card) (blocks []slack.Block) {
	title := "*" + mrkdwn.Escape(headline(c)) + "*" + mrkdwn.Escape(running(c))
	blocks = append(blocks, slack.NewSectionBlock(verbatim(title), nil, nil))
	if lines := taskLines(c); len(lines) > 0 {
		for _, s := range mrkdwn.SplitText(strings.Join(lines, "\n"), maxSection) {
			blocks = append(blocks, slack.NewContextBlock("", verbatim(s)))
		}
	}
	return blocks
}
