package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

const (
	maxOptions = 100 // options in a menu or in a group of its options, and groups in a menu
	maxBlocks  = 50  // blocks of a modal's text; Slack refuses more than 100
)

// Modal renders a form as a modal. Its private metadata holds only the button's opaque id and the ts of the
// button's message.
func Modal(f workflow.Form, ts string) slack.ModalViewRequest {
	view := slack.ModalViewRequest{
		Type:            slack.VTModal,
		CallbackID:      string(f.ActionID),
		PrivateMetadata: f.Value + " " + ts,
		Close:           plainText("Cancel"),
	}
	switch {
	case f.Late != "":
		view.Title = plainText("Too late")
		if workflow.IsReportForm(f.ActionID) {
			view.Title = plainText(workflow.ReportFormOf(f.ActionID).Title)
		}
		view.Close = plainText("Close")
		view.Blocks.BlockSet = []slack.Block{slack.NewSectionBlock(plainText(f.Late), nil, nil)}
	case f.ActionID == workflow.ButtonDetails:
		view.Title = formTitle(f, "Details")
		view.Close = plainText("Close")
		for _, section := range mrkdwn.SplitText(
			mrkdwn.Renderer{}.Render(workflow.Unmark(f.Text), nil), maxSection,
		) {
			if len(view.Blocks.BlockSet) < maxBlocks {
				view.Blocks.BlockSet = append(view.Blocks.BlockSet, slack.NewSectionBlock(
					slack.NewTextBlockObject(slack.MarkdownType, section, false, true), nil, nil,
				))
			}
		}
		if f.Page != "" {
			view.Blocks.BlockSet = append(view.Blocks.BlockSet,
				slack.NewContextBlock("", slack.NewTextBlockObject(slack.MarkdownType,
					"<"+f.Page+"|Open the session's page>: everything that happened, with the diff. "+
						"The link is yours alone, for twelve hours.", false, true)))
		}
	case f.ActionID == workflow.ButtonCorrect:
		view.Title = formTitle(f, "Correct")
		view.Submit = plainText("Send")
		view.Blocks.BlockSet = []slack.Block{
			textInput(event.InputWords, correctionQuestion(f),
				"Everybody in the thread reads it, with your name.", false),
		}
	case f.ActionID == workflow.ButtonRepository, f.ActionID == workflow.ButtonBase:
		view.Title = formTitle(f, "Change repository")
		question := "Which repository is this about?"
		if f.ActionID == workflow.ButtonBase {
			view.Title = formTitle(f, "Change branch")
			question = "Which branch or tag is this about?"
		}
		view.Submit = plainText("Choose")
		view.Blocks.BlockSet = []slack.Block{slack.NewInputBlock(event.InputChoice,
			plainText(question), nil, choiceMenu(event.InputChoice, f.Choices))}
	case f.ActionID == workflow.ButtonFixLimited:
		view.Title = formTitle(f, "Fix it, with limits")
		view.Submit = plainText("Fix it")
		if strings.HasPrefix(f.Label, "Go ahead") {
			view.Submit = plainText("Go ahead")
		}
		view.Blocks.BlockSet = []slack.Block{
			slack.NewSectionBlock(plainText(fmt.Sprintf("This approves revision %d, "+
				"and nothing beyond what you say here may change.", f.Revision)), nil, nil),
			textInput(event.InputFiles, "Only these files or folders",
				"One in a line, such as money/split.go or coupon/", true),
			textInput(event.InputWords, "Instructions", "What is to be fixed, and what is to be left alone.",
				true),
		}
	case workflow.IsReportForm(f.ActionID):
		reportModal(&view, f)
	case f.ActionID == workflow.ButtonAskStop:
		view.Title = plainText("Stop")
		view.Submit = plainText("Stop")
		view.Blocks.BlockSet = []slack.Block{slack.NewSectionBlock(plainText("Stop the work in this thread? "+
			"It stops at once, and what was done so far is kept. A new message in the thread goes on."),
			nil, nil)}
	case f.ActionID == workflow.ButtonLesson:
		view.Title = plainText("Change a lesson")
		view.Submit = plainText("Save")
		input := textInput(event.InputWords,
			"What agents are told of "+mrkdwn.OneLine(strings.Join(f.Repositories, ", "), maxLabel),
			"Empty it to have it forgotten. It is kept who changed it.", true)
		if element, ok := input.Element.(*slack.PlainTextInputBlockElement); ok {
			element.InitialValue = f.Text
		}
		view.Blocks.BlockSet = []slack.Block{input}
	}
	return view
}

// maxTitle is how many characters the title of a modal has at most.
const maxTitle = 24

// formTitle returns the title of a modal: what the person read on the button, without the dots.
func formTitle(f workflow.Form, usual string) *slack.TextBlockObject {
	label := strings.TrimRight(mrkdwn.OneLine(workflow.Unmark(f.Label), maxLabel), "…. ")
	if utf8.RuneCountInString(label) > maxTitle {
		label = usual
	}
	return plainText(cmp.Or(label, usual))
}

// correctionQuestion returns what a form asks that opens below a report or a result.
func correctionQuestion(f workflow.Form) string {
	if strings.HasPrefix(f.Label, "Something is missing") {
		return "What is missing?"
	}
	return "What is wrong, or what has to change?"
}

func plainText(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

// choiceMenu returns a menu of the choices, in which people find one by typing. More choices than a menu
// takes are put in groups, by their order; the menu then has up to 10,000.
func choiceMenu(name string, choices []string) *slack.SelectBlockElement {
	if len(choices) <= maxOptions {
		return slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, name, options(choices)...)
	}
	choices = slices.Sorted(slices.Values(choices))
	var groups []*slack.OptionGroupBlockObject
	for group := range slices.Chunk(choices[:min(len(choices), maxOptions*maxOptions)], maxOptions) {
		label := mrkdwn.OneLine(group[0], maxLabel/2-3) + " … " +
			mrkdwn.OneLine(group[len(group)-1], maxLabel/2-3)
		groups = append(groups, slack.NewOptionGroupBlockElement(plainText(label), options(group)...))
	}
	return slack.NewOptionsGroupSelectBlockElement(slack.OptTypeStatic, nil, name, groups...)
}

func options(choices []string) (options []*slack.OptionBlockObject) {
	for _, c := range choices {
		options = append(options,
			slack.NewOptionBlockObject(c, plainText(cmp.Or(mrkdwn.OneLine(c, maxLabel), "…")), nil))
	}
	return options
}

func textInput(name, label, hint string, optional bool) *slack.InputBlock {
	element := slack.NewPlainTextInputBlockElement(nil, name)
	element.Multiline = true
	element.MaxLength = workflow.MostEntered
	return slack.NewInputBlock(name, plainText(label), plainText(hint), element).WithOptional(optional)
}
