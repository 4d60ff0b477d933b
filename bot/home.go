package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// The App Home is made whenever somebody opens it, out of rows alone; nothing rewrites it
// until it is opened again. So its event is acknowledged first: one that is lost is a home
// as it was, and the person opens it once more.

// Homes tells what a person is shown.
type Homes interface {
	Home(ctx context.Context, user string) (workflow.Home, error)
}

const (
	homeWithin  = 20 * time.Second // for one home
	homesAtOnce = 4
	homeBlocks  = 100 // https://docs.slack.dev/reference/views/home-tab-views
	homeTitle   = 150 // characters of a session's title
)

// homeOpened is who opened their home; empty for any other event.
func homeOpened(kind string, payload []byte) string {
	var p struct {
		Event lenient[struct {
			Type jstring `json:"type"`
			Tab  jstring `json:"tab"`
			User jstring `json:"user"`
		}] `json:"event"`
	}
	if kind != "events_api" || json.Unmarshal(payload, &p) != nil || p.Event.v.Type != "app_home_opened" || p.Event.v.Tab != "home" {
		return ""
	}
	return string(p.Event.v.User)
}

// openHome makes a home beside what else comes in.
func (l *link) openHome(ctx context.Context, user string) {
	if l.Homes == nil {
		return
	}
	l.opening.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, homeWithin)
		defer cancel()
		select {
		case l.homesOpen() <- struct{}{}:
			defer func() { <-l.homesOpen() }()
		case <-ctx.Done():
			return
		}
		if err := l.publishHome(ctx, user); err != nil && ctx.Err() == nil {
			l.log.Error("cannot show somebody their home", "user", user, "err", err)
		}
	})
}

// homesOpen bounds how many are made at once.
func (g *Gateway) homesOpen() chan struct{} {
	g.openOnce.Do(func() { g.open = make(chan struct{}, homesAtOnce) })
	return g.open
}

func (g *Gateway) publishHome(ctx context.Context, user string) error {
	home, err := g.Homes.Home(ctx, user)
	if err != nil {
		return err
	}
	view := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: g.Slack.homeBlocks(home)}}
	return g.Slack.patiently(ctx, func() error {
		_, err := g.Slack.api.PublishViewContext(ctx, slack.PublishViewContextRequest{UserID: user, View: view})
		return err
	})
}

// homeBlocks shows a home: what waits for its owner, then all else by where it stands.
func (s *Slack) homeBlocks(home workflow.Home) (blocks []slack.Block) {
	add := func(list ...slack.Block) { blocks = append(blocks, list...) }
	add(homeText("Today your sessions spent " + dollars(home.TodayUSD) + "."))
	if home.Closed {
		add(homeText("Slack does not tell me which channels you are in, so these are only the sessions that you asked for."))
	}
	groups := map[workflow.Standing][]workflow.HomeSession{}
	for _, x := range home.Others {
		groups[x.Standing()] = append(groups[x.Standing()], x)
	}
	s.homeGroup(add, "Waits for you", home.Waits, home.Person)
	for _, standing := range workflow.Standings {
		s.homeGroup(add, string(standing), groups[standing], home.Person)
	}
	if len(home.Waits)+len(home.Others) == 0 {
		add(homeText("There is nothing yet. Mention <@" + s.self.User + "> in a channel that it is in, or use \"Send to Bobbin\" on somebody's message."))
	}
	if home.More {
		add(homeText("There are older ones, too; they are in their threads."))
	}
	if len(home.Settings) > 0 {
		add(homeHeader("Settings"))
		for _, part := range split(namedChannels(escape(visible(strings.Join(home.Settings, "\n")))), maxSection) {
			add(homeText(part))
		}
	}
	return blocks[:min(len(blocks), homeBlocks)]
}

func (s *Slack) homeGroup(add func(...slack.Block), name string, list []workflow.HomeSession, p workflow.Person) {
	if len(list) == 0 {
		return
	}
	add(homeHeader(name))
	for _, x := range list {
		add(homeText(s.homeLine(x, p)))
	}
}

// homeLine is one session: its title, which leads to the thread, and how it stands.
func (s *Slack) homeLine(x workflow.HomeSession, p workflow.Person) string {
	title := oneLine(x.Title, homeTitle)
	if title == "" {
		title = "(no words)"
	}
	phase := strings.ReplaceAll(string(x.Phase), "_", " ")
	if x.Why != "" {
		phase += ": " + x.Why
	}
	parts := []string{phase}
	if full := !p.Guest && !p.Stranger && p.Name != ""; full && x.Repository != "" {
		parts = append(parts, escape(x.Repository))
	}
	if !strings.HasPrefix(x.Thread.Channel, "D") {
		parts = append(parts, "<#"+escape(x.Thread.Channel)+">")
	}
	if x.Requester != p.ID {
		parts = append(parts, "<@"+escape(x.Requester)+">")
	}
	parts = append(parts, dollars(x.SpentUSD), fmt.Sprintf("<!date^%d^{date_short_pretty} {time}|%s>", x.Updated.Unix(), x.Updated.UTC().Format("2006-01-02 15:04 UTC")))
	// A bar would end the link's address, and backquotes begin code within it.
	label := strings.NewReplacer("|", "¦", "`", "'", "*", "∗").Replace(escape(title))
	return "*<" + s.permalink(x.Thread) + "|" + label + ">*\n" + strings.Join(parts, " · ")
}

// permalink leads to a thread's root. Slack makes the same with chat.getPermalink, one call
// for each.
func (s *Slack) permalink(t workflow.Thread) string {
	return strings.TrimRight(s.url, "/") + "/archives/" + t.Channel + "/p" + strings.ReplaceAll(t.TS, ".", "")
}

var channelID = regexp.MustCompile(`#([CG][A-Z0-9]{5,})\b`)

// namedChannels shows channels' ids by their names.
func namedChannels(s string) string { return channelID.ReplaceAllString(s, "<#$1>") }

func dollars(usd float64) string { return fmt.Sprintf("$%.2f", usd) }

func homeHeader(text string) slack.Block {
	return slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, text, false, false))
}

func homeText(text string) slack.Block {
	return slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, text, false, true), nil, nil)
}
