package render

import (
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// Help renders a help as a text, and as blocks that show the same.
func Help(h workflow.Help) (text string, blocks []slack.Block) {
	r := helpRenderer(h)
	blocks = []slack.Block{homeSection(r.Render(workflow.HelpLead, nil))}
	for _, p := range h.Parts() {
		blocks = append(blocks, homeSection(
			r.Render("**"+p.Title+"**\n"+strings.Join(p.Lines, "\n"), nil)))
	}
	return r.Render(h.Markdown(), nil), blocks
}

// shortHelp renders the few lines of a help with which an App Home begins.
func shortHelp(h workflow.Help) slack.Block {
	r := helpRenderer(h)
	return homeSection(r.Render(h.Short(), nil))
}

// helpRenderer returns a renderer that makes links of the addresses of a help.
func helpRenderer(h workflow.Help) (r mrkdwn.Renderer) {
	for _, link := range []string{h.DocsURL, h.Page} {
		if link != "" {
			r.Links = append(r.Links, link)
		}
	}
	return r
}

// reportButtons are the buttons of the forms that begin a thread, or in their place why the reader may not.
func reportButtons(refused string) slack.Block {
	if refused != "" {
		return homeSection(mrkdwn.Escape(refused))
	}
	report := slack.NewButtonBlockElement(string(workflow.ButtonReport), "", plainText("Report a bug"))
	feature := slack.NewButtonBlockElement(string(workflow.ButtonFeature), "", plainText("Ask for a feature"))
	return slack.NewActionBlock("", report.WithStyle(slack.StylePrimary), feature)
}

// Status renders what the bot does in a channel as a text, and as blocks that show the same.
func (h HomePage) Status(s workflow.ChannelStatus) (text string, blocks []slack.Block) {
	text = "Nothing runs in this channel, and nothing waits. " +
		"`/bobbin report` reports a bug; `/bobbin help` says the rest."
	if len(s.Sessions) > 0 {
		text = h.statusText(s)
	}
	for _, part := range mrkdwn.SplitText(text, maxSection) {
		blocks = append(blocks, homeSection(part))
	}
	return text, blocks
}

func (h HomePage) statusText(s workflow.ChannelStatus) string {
	groups := map[workflow.HomeStatus][]string{}
	for _, x := range s.Sessions {
		groups[x.Standing()] = append(groups[x.Standing()], h.sessionLine(x, s.Person))
	}
	var lines []string
	for _, standing := range workflow.HomeStatuses {
		if len(groups[standing]) > 0 {
			lines = append(lines, "*"+string(standing)+"*")
			lines = append(lines, groups[standing]...)
		}
	}
	if s.More {
		lines = append(lines, "Older sessions are not listed; find them in their threads.")
	}
	return strings.Join(lines, "\n")
}

// reportModal fills in the modal of a form that begins a thread.
func reportModal(view *slack.ModalViewRequest, f workflow.Form) {
	form := workflow.ReportFormOf(f.ActionID)
	view.Title = plainText(form.Title)
	view.Submit = plainText(form.Submit)
	add := func(b slack.Block) { view.Blocks.BlockSet = append(view.Blocks.BlockSet, b) }
	if len(f.Channels) > 0 {
		add(slack.NewInputBlock(event.InputChannel, plainText("In which channel?"),
			plainText("The thread begins there, with your name."), channelMenu(f.Channels)))
	} else {
		add(slack.NewSectionBlock(
			plainText("This begins a thread in this channel, with your name."), nil, nil))
	}
	for _, in := range form.Inputs {
		block := textInput(in.Name, in.Label, in.Hint, in.Says != "")
		if element, ok := block.Element.(*slack.PlainTextInputBlockElement); ok {
			element.MaxLength = in.Most
		}
		add(block)
	}
}

// Reported renders what stands in the place of a form that has begun a thread: where that is.
func (h HomePage) Reported(action workflow.ActionID, thread workflow.Thread) slack.ModalViewRequest {
	form := workflow.ReportFormOf(action)
	text := form.Done + " in <#" + mrkdwn.Escape(thread.Channel) + ">. <" + thread.Permalink(h.WorkspaceURL) +
		"|Open the thread>: I answer there."
	return slack.ModalViewRequest{
		Type:   slack.VTModal,
		Title:  plainText(form.Title),
		Close:  plainText("Close"),
		Blocks: slack.Blocks{BlockSet: []slack.Block{homeSection(text)}},
	}
}

// channelMenu returns a menu of channels, with the first one chosen.
func channelMenu(channels []workflow.Channel) *slack.SelectBlockElement {
	var list []*slack.OptionBlockObject
	for _, c := range channels[:min(len(channels), maxOptions)] {
		name := plainText(mrkdwn.OneLine("#"+c.Name, maxLabel))
		list = append(list, slack.NewOptionBlockObject(c.ID, name, nil))
	}
	return slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, event.InputChannel, list...).
		WithInitialOption(list[0])
}
