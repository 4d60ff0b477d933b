package render

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

const (
	MaxHomeBlocks = 100 // https://docs.slack.dev/reference/views/home-tab-views
	homeTitle     = 150 // characters of a session's title
)

// A HomePage renders App Homes. Bot is the bot's user id, Name the name by which people invite it, and
// WorkspaceURL the address of the workspace in a browser.
type HomePage struct{ Bot, Name, WorkspaceURL string }

// Blocks renders a home: a short help and the forms, the sessions that wait for its owner, the others by
// state, what was spent, then guides of channels, pauses, settings and lessons. It returns at most
// MaxHomeBlocks blocks; if there are more, the last one says so.
func (h HomePage) Blocks(home workflow.HomeView) (blocks []slack.Block) {
	add := func(list ...slack.Block) { blocks = append(blocks, list...) }
	if home.Notice != "" {
		add(homeSection(home.Notice))
	}
	if home.Help != nil {
		add(shortHelp(*home.Help), reportButtons(home.NoReport), slack.NewDividerBlock())
	}
	if home.OwnOnly {
		add(homeSection("Slack does not tell me which channels you are in, " +
			"so these are only the sessions that you asked for."))
	}
	groups := map[workflow.HomeStatus][]workflow.HomeSession{}
	for _, x := range home.Others {
		groups[x.Standing()] = append(groups[x.Standing()], x)
	}
	h.addGroup(add, "Waits for you", home.Waits, home.Person)
	for _, standing := range workflow.HomeStatuses {
		h.addGroup(add, string(standing), groups[standing], home.Person)
	}
	switch {
	case len(home.Waits)+len(home.Others) > 0:
	case home.Help != nil: // it says how to begin
		add(homeSection("There is nothing yet."))
	default:
		add(homeSection("There is nothing yet. Mention <@" + h.Bot +
			"> in a channel that it is in, or use \"Send to Bobbin\" on somebody's message."))
	}
	if home.More {
		add(homeSection("Older sessions are not listed; find them in their threads."))
	}
	add(homeSection(home.TodayLine()))
	if home.Page != "" {
		add(homeSection("<" + home.Page + "|All sessions on a page>, to search and to look into. " +
			"The link is yours alone, for twelve hours."))
	}
	if len(home.Guides) > 0 {
		add(homeHeader("Tell a channel how to use me"))
		add(homeSection("I post one message with all that its people need to know, and pin it."))
		for _, g := range home.Guides {
			add(h.guideSection(g))
		}
	}
	if len(home.Pauses) > 0 {
		add(homeHeader("Pause and resume"))
		for _, x := range home.Pauses {
			add(pauseSection(x))
		}
	}
	if len(home.Settings) > 0 {
		add(homeHeader("Settings"))
		for _, part := range mrkdwn.SplitText(
			namedChannels(mrkdwn.Escape(mrkdwn.Visible(strings.Join(home.Settings, "\n")))), maxSection,
		) {
			add(homeSection(part))
		}
	}
	h.addLessons(add, home.Lessons)
	if len(blocks) > MaxHomeBlocks {
		blocks = append(blocks[:MaxHomeBlocks-1], homeSection("There is more than Slack shows here."))
	}
	return blocks
}

func (h HomePage) addGroup(
	add func(...slack.Block), name string, list []workflow.HomeSession, reader workflow.Person,
) {
	if len(list) == 0 {
		return
	}
	add(homeHeader(name))
	for _, x := range list {
		add(homeSection(h.sessionLine(x, reader)))
	}
}

// guideSection renders a channel that can be told how to use the bot, with its button.
func (h HomePage) guideSection(g workflow.ChannelGuideState) slack.Block {
	text := "<#" + mrkdwn.Escape(g.Channel) + ">"
	label := "Post and pin"
	by := ", asked by <@" + mrkdwn.Escape(g.By) + ">"
	switch {
	case g.Refused == "missing_scope":
		text += ": posted" + by + ", and not pinned: the app lacks the scope `pins:write`. " +
			"Pin it by hand (⋮ → Pin to channel), or install the app again with the scope."
		label = "Post again"
	case g.Refused != "" && g.TS != "":
		text += ": posted" + by + ", and not pinned (`" + mrkdwn.Escape(g.Refused) + "`). " +
			"Pin it by hand: ⋮ → Pin to channel."
		label = "Post again"
	case g.Refused == "not_in_channel", g.Refused == "channel_not_found":
		text += ": I am not in this channel. Write `/invite @" + mrkdwn.Escape(h.Name) +
			"` there, and try again."
		label = "Try again"
	case g.Refused != "":
		text += ": Slack does not let me post there (`" + mrkdwn.Escape(g.Refused) + "`)."
		label = "Try again"
	case g.Pinned:
		text += ": posted and pinned" + by + "."
		label = "Post again"
	case g.By != "":
		text += ": on its way" + by + "."
	}
	element := slack.NewButtonBlockElement(string(workflow.ButtonGuide), g.Channel, plainText(label))
	return slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, text, false, true), nil,
		slack.NewAccessory(element))
}

// pauseSection renders one thing that can be paused, with its button.
func pauseSection(x workflow.HomePause) slack.Block {
	text := namedChannels(mrkdwn.Escape(mrkdwn.OneLine(x.Name, homeTitle)))
	action := workflow.ButtonPause
	label := "Pause"
	if x.By != "" {
		text = "*" + text + "* is paused, by " + mrkdwn.Escape(mrkdwn.OneLine(x.By, homeTitle))
		action = workflow.ButtonResume
		label = "Resume"
	}
	element := slack.NewButtonBlockElement(string(action), x.Value,
		slack.NewTextBlockObject(slack.PlainTextType, label, false, false))
	return slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, text, false, true), nil,
		slack.NewAccessory(element))
}

// addLessons renders the lessons in as few blocks as possible. Each lesson that the reader may change has its
// own block with a button.
func (h HomePage) addLessons(add func(...slack.Block), list []workflow.HomeLesson) {
	if len(list) == 0 {
		return
	}
	add(homeHeader("Learned"))
	var lines []string
	flush := func() {
		if len(lines) == 0 {
			return
		}
		for _, part := range mrkdwn.SplitText(strings.Join(lines, "\n"), maxSection) {
			add(homeSection(part))
		}
		lines = nil
	}
	for _, l := range list {
		by := "seen by me"
		if l.By != "" {
			by = "said by <@" + mrkdwn.Escape(l.By) + ">"
		}
		if l.Thread.TS != "" {
			by = "<" + l.Thread.Permalink(h.WorkspaceURL) + "|" + "in this thread> " + by
		}
		line := fmt.Sprintf(
			"%d. %s: %s (%s, %s)", l.Number, mrkdwn.Escape(l.Repository),
			mrkdwn.Escape(mrkdwn.OneLine(workflow.Unmark(mrkdwn.Visible(l.Text)), homeTitle)), by,
			l.At.UTC().Format("2006-01-02"),
		)
		if !l.MayChange {
			lines = append(lines, line)
			continue
		}
		flush()
		element := slack.NewButtonBlockElement(
			string(workflow.ButtonLesson), strconv.FormatInt(l.Number, 10), plainText("Change…"),
		)
		add(slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, line, false, true), nil,
			slack.NewAccessory(element)))
	}
	lines = append(lines, "Agents are told these lessons. Approvers can change them, "+
		"here or in a thread about the repository: \"forget lesson N\", \"correct lesson N: …\"; "+
		"\"lessons\" there offers them for its AGENTS.md.")
	flush()
}

// sessionLine renders one session: its title as a link to the thread, and its state.
func (h HomePage) sessionLine(x workflow.HomeSession, reader workflow.Person) string {
	title := mrkdwn.OneLine(workflow.Unmark(x.Name()), homeTitle)
	if title == "" {
		title = "(no words)"
	}
	parts := []string{cmp.Or(x.Why, x.State(false))}
	if full := !reader.Guest && !reader.Stranger && reader.Name != ""; full && x.Repository != "" {
		parts = append(parts, mrkdwn.Escape(x.Repository))
	}
	if !strings.HasPrefix(x.Thread.Channel, "D") {
		parts = append(parts, "<#"+mrkdwn.Escape(x.Thread.Channel)+">")
	}
	if x.Requester != reader.ID && x.Requester != "" { // an app's alert has no requester
		parts = append(parts, "<@"+mrkdwn.Escape(x.Requester)+">")
	}
	parts = append(parts, x.Cost().String(), fmt.Sprintf("<!date^%d^{date_short_pretty} {time}|%s>",
		x.Updated.Unix(), x.Updated.UTC().Format("2006-01-02 15:04 UTC")))
	// A bar would end the link's address, and backticks would begin code within it.
	label := strings.NewReplacer("|", "¦", "`", "'", "*", "∗").Replace(mrkdwn.Escape(title))
	return "*<" + x.Thread.Permalink(h.WorkspaceURL) + "|" + label + ">*\n" + strings.Join(parts, " · ")
}

var channelID = regexp.MustCompile(`#([CG][A-Z0-9]{5,})\b`)

// namedChannels makes Slack show channel names in place of channel ids.
func namedChannels(s string) string { return channelID.ReplaceAllString(s, "<#$1>") }

func homeHeader(text string) slack.Block {
	return slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, text, false, false))
}

func homeSection(text string) slack.Block {
	return slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, text, false, true), nil, nil)
}
