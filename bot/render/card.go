package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/card"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
)

const (
	mostTasks  = 20  // on a card; docs.slack.dev names no limit of a plan's tasks
	maxTask    = 110 // characters of one task on a card
	maxRunning = 60  // and of a command
)

// cardName signs cards by default.
const cardName = "orchestrator"

// A CardFace says how cards look: with Slack's plan and task_card blocks, or plain if the
// endpoint does not know them.
type CardFace struct {
	Name  string
	Plain bool
}

// Render renders a card. The text holds all that the blocks show, for notifications, for
// searches and for clients without blocks.
func (f CardFace) Render(c *card.Card) Part {
	return Part{Key: c.Key, Text: f.renderText(c), Blocks: f.renderBlocks(c)}
}

func (f CardFace) renderText(c *card.Card) string {
	lines := []string{"[" + mrkdwn.Escape(mrkdwn.OneLine(cmp.Or(f.Name, cardName), 80)) + "] " + mrkdwn.Escape(c.Headline()+running(c))}
	return strings.Join(append(lines, taskLines(c)...), "\n")
}

// running returns the command that is under way, behind the headline.
func running(c *card.Card) string {
	if c.Running == "" {
		return ""
	}
	return fmt.Sprintf(" · %s for %s", unangled.Replace(mrkdwn.BreakAddresses(mrkdwn.OneLine(c.Running, maxRunning))), c.Ran)
}

// taskLines returns the tasks as lines, and a last line that counts those left out.
func taskLines(c *card.Card) (lines []string) {
	for _, t := range shownTasks(c) {
		lines = append(lines, mrkdwn.Escape(fmt.Sprintf("%d. %s (%s)", t.Number, taskTitle(t), taskWords(c, t))))
	}
	if more := len(c.Tasks) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	return lines
}

// shownTasks returns the last tasks, where work goes on.
func shownTasks(c *card.Card) []card.Task {
	return c.Tasks[max(0, len(c.Tasks)-mostTasks):]
}

// taskTitle returns a model's description as text, without links.
func taskTitle(t card.Task) string {
	title := mrkdwn.OneLine(strings.TrimSpace(t.Label+" "+t.Title), maxTask)
	return unangled.Replace(mrkdwn.BreakAddresses(title))
}

// unangled removes what could be markup: a plan's titles are no text objects, and Slack does
// not document whether <!channel> in one mentions people.
var unangled = strings.NewReplacer("<", "‹", ">", "›", "&", "＆")

func taskWords(c *card.Card, t card.Task) string {
	if unfinished(c, t) {
		return "not finished"
	}
	words := map[workflow.TaskState]string{
		workflow.TaskOpen: "waits", workflow.TaskWorking: "at work", workflow.TaskDone: "done", workflow.TaskBlocked: "blocked",
		workflow.TaskFailed: "failed", workflow.TaskDropped: "taken over", workflow.TaskClashes: "clashes with another",
	}[t.State]
	if t.State == workflow.TaskWorking && t.Failures > 0 {
		words += fmt.Sprintf(", attempt %d", t.Failures+1)
	}
	if t.Took > 0 {
		words += ", " + t.Took.String()
	}
	return words
}

// unfinished reports whether the run ended before the task did.
func unfinished(c *card.Card, t card.Task) bool {
	cutOff := t.State == workflow.TaskFailed && t.Failures == 0
	return c.Ended && (t.State == workflow.TaskOpen || t.State == workflow.TaskWorking || cutOff)
}

// taskStatus returns Slack's name of the state.
func taskStatus(c *card.Card, t card.Task) slack.TaskCardStatus {
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

func (f CardFace) renderBlocks(c *card.Card) []slack.Block {
	blocks := plainCard(c)
	if !f.Plain && len(c.Tasks) > 0 { // no document says that a plan may be empty
		blocks = []slack.Block{planCard(c)}
	}
	if c.Stop == "" {
		return blocks
	}
	stop := outgoing.Button{ActionID: "stop", Label: "Stop", Style: "danger", Value: c.Stop}
	return append(blocks, buttonRow([]outgoing.Button{stop}, map[string]int{}))
}

// planCard returns the card as a plan with its tasks.
func planCard(c *card.Card) slack.Block {
	var tasks []*slack.TaskCardBlock
	for _, t := range shownTasks(c) {
		title := fmt.Sprintf("%d. %s", t.Number, taskTitle(t))
		if words := taskWords(c, t); !slices.Contains([]string{"waits", "done", "at work"}, words) { // the mark before it says so
			title += " (" + words + ")"
		}
		tasks = append(tasks, slack.NewTaskCardBlock(fmt.Sprintf("task-%d", t.Number), title).WithStatus(taskStatus(c, t)))
	}
	if more := len(c.Tasks) - len(tasks); more > 0 {
		tasks = append(tasks, slack.NewTaskCardBlock("more", fmt.Sprintf("… and %d more", more)).WithStatus(slack.TaskCardStatusComplete))
	}
	return slack.NewPlanBlock(c.Headline() + running(c)).WithTasks(tasks...)
}

// plainCard returns the card in blocks that every endpoint knows.
func plainCard(c *card.Card) (blocks []slack.Block) {
	verbatim := func(s string) *slack.TextBlockObject {
		return slack.NewTextBlockObject(slack.MarkdownType, s, false, true)
	}
	blocks = append(blocks, slack.NewSectionBlock(verbatim("*"+mrkdwn.Escape(c.Headline())+"*"+mrkdwn.Escape(running(c))), nil, nil))
	if lines := taskLines(c); len(lines) > 0 {
		for _, s := range mrkdwn.SplitText(strings.Join(lines, "\n"), maxSection) {
			blocks = append(blocks, slack.NewContextBlock("", verbatim(s)))
		}
	}
	return blocks
}
