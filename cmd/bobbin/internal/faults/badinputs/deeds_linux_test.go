package badinputs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

func stagedDatabase(t *testing.T) string { return harness.Database(t) }

// deeds returns the verbs of steps that do something in a place:
//
//	say WHO TEXT       in the thread, which the first message begins; @bobbin and @bea are mentions
//	new WHO TEXT       begins a thread with exactly these words; the model does not learn which place it is
//	share WHO NAME TEXT, bot TEXT, hook TEXT, own TEXT, edit TEXT, delete root|last, react WHO EMOJI
//	click WHO ACTION   presses the newest button of that action; first: the oldest
//	clicks N WHO ACTION, press WHO ACTION VALUE, press-on TS WHO ACTION VALUE
//	command WHO /NAME TEXT
//	event JSON, frame TEXT    sent unchanged but for $channel, $root, $last, $bot, $donor, $ann …
//	again N            delivers every event of the place N more times
//	person NAME WORDS, change NAME HOW, base, crowd N
//	fault METHOD ERROR N, clear, lose acks, expire, cut, disconnect REASON, restart    affect all places: only in a batch with "alone"
//	model TOOL JSON    the model's next tool call
//
// The other verbs are expectations; all but await are checked by due:
//
//	await TEXT, says TEXT, silent, lines N, never TEXT, raw TEXT, whisper TEXT
//	sessions N, approvals N, pushes N, inbox N, phase PHASE, refusals N, branch TEXT
//	told TEXT, untold TEXT    what the model was shown
func (p *officeCase) deeds() map[string]func(context.Context, badStep) error {
	return map[string]func(context.Context, badStep) error{
		"say":        p.say,
		"new":        p.say,
		"share":      p.share,
		"bot":        p.sayAsBot,
		"hook":       p.sayAsBot,
		"own":        p.sayAsOurs,
		"edit":       p.edit,
		"delete":     p.remove,
		"react":      p.react,
		"click":      p.click,
		"first":      p.click,
		"clicks":     p.clicks,
		"press":      p.press,
		"press-on":   p.press,
		"command":    p.command,
		"event":      p.event,
		"frame":      p.frame,
		"again":      p.again,
		"person":     p.person,
		"change":     p.change,
		"fault":      p.fault,
		"lose":       p.trouble,
		"expire":     p.trouble,
		"cut":        p.trouble,
		"disconnect": p.trouble,
		"clear":      p.trouble,
		"crowd":      p.crowd,
		"restart":    p.restart,
		"base":       p.base,
		"model":      p.calls,
		"await":      p.await,
	}
}

func (p *officeCase) step(ctx context.Context, s badStep) error {
	if do, ok := p.deeds()[s.verb]; ok {
		return do(ctx, s)
	}
	if err := p.settle(ctx); err != nil {
		return err
	}
	return p.due(ctx, s)
}

// who takes a name off the step and returns the person's user ID.
func (p *officeCase) who(s *badStep) string {
	name := s.word()
	id, ok := p.people[name]
	if !ok {
		panic(fmt.Sprintf("%s:%d: nobody is called %q", p.batch.name, s.at, name))
	}
	return id
}

var mentioned = regexp.MustCompile(`@(\w+)`)

func (p *officeCase) mentions(text string) string {
	return mentioned.ReplaceAllStringFunc(text, func(m string) string {
		if m == "@bobbin" {
			return p.stage.Slack.Mention()
		}
		if id, ok := p.people[m[1:]]; ok {
			return "<@" + id + ">"
		}
		return m
	})
}

// marked appends the number of the place, by which the model recognises it.
func (p *officeCase) marked(text string) string { return fmt.Sprintf("%s (place %d)", text, p.number) }

func (p *officeCase) say(_ context.Context, s badStep) error {
	who := p.who(&s)
	root := p.root
	text := p.filled(p.mentions(s.text()))
	switch {
	case s.verb == "new":
		root = ""
	case root == "":
		text = p.marked(text)
	}
	ts, err := p.stage.Slack.Say(p.channel, who, text, root)
	if p.root == "" {
		p.root = ts
	}
	p.last = ts
	return err
}

func (p *officeCase) share(_ context.Context, s badStep) error {
	who := p.who(&s)
	name := s.word()
	text := p.mentions(s.text())
	root := p.root
	if root == "" {
		text = p.marked(text)
	}
	ts, err := p.stage.Slack.Share(p.channel, who, text, root, name)
	if p.root == "" {
		p.root = ts
	}
	p.last = ts
	return err
}

func (p *officeCase) sayAsBot(_ context.Context, s badStep) error {
	who := map[string]string{"bot": "buildbot", "hook": "hook"}[s.verb]
	_, err := p.stage.Slack.SayAsBot(p.channel, p.people[who], p.mentions(s.text()), p.root)
	return err
}

func (p *officeCase) sayAsOurs(_ context.Context, s badStep) error {
	r, err := http.PostForm(p.stage.Slack.URL()+"chat.postMessage", url.Values{
		"token":        {p.stage.Slack.App().BotToken},
		"channel":      {p.channel},
		"text":         {p.mentions(s.text())},
		"thread_ts":    {p.root},
		"unfurl_links": {"false"},
		"unfurl_media": {"false"},
	})
	if err != nil {
		return err
	}
	p.heard++
	return r.Body.Close()
}

func (p *officeCase) edit(_ context.Context, s badStep) error {
	return p.stage.Slack.Edit(p.channel, p.last, p.mentions(s.text()))
}

func (p *officeCase) remove(_ context.Context, s badStep) error {
	ts := p.last
	if s.text() == "root" {
		ts = p.root
	}
	return p.stage.Slack.Delete(p.channel, ts)
}

func (p *officeCase) react(_ context.Context, s badStep) error {
	who := p.who(&s)
	own := p.own()
	if len(own) == 0 {
		return fmt.Errorf("the bot said nothing yet")
	}
	return p.stage.Slack.React(p.channel, own[len(own)-1].TS, who, s.text())
}

// shown returns the ts of the bot's newest message with a button of that action, or of the oldest.
func (p *officeCase) shown(action string, first bool) (found string) {
	for _, m := range p.own() {
		for _, c := range m.Pressable() {
			if c.ActionID == action && (!first || found == "") {
				found = m.TS
			}
		}
	}
	return found
}

func (p *officeCase) click(_ context.Context, s badStep) error {
	who := p.who(&s)
	action := s.word()
	return p.stage.Slack.Click(p.channel, p.shown(action, s.verb == "first"), action, who)
}

func (p *officeCase) clicks(_ context.Context, s badStep) error {
	n := s.number()
	who := p.who(&s)
	action := s.word()
	at := p.shown(action, false)
	var all errgroup.Group
	all.SetLimit(16)
	for range n {
		all.Go(func() error { return p.stage.Slack.Click(p.channel, at, action, who) })
	}
	return all.Wait()
}

// press sends a forged block_actions payload, with any value.
func (p *officeCase) press(ctx context.Context, s badStep) error {
	ts := ""
	if s.verb == "press-on" {
		ts = p.filled(s.word())
	}
	who := p.who(&s)
	action := s.word()
	value := p.filled(s.text())
	if s.verb != "press-on" {
		ts = p.shows(value)
	}
	payload := map[string]any{
		"type":    "block_actions",
		"user":    map[string]any{"id": who, "team_id": p.stage.Slack.App().TeamID},
		"channel": map[string]any{"id": p.channel},
		"container": map[string]any{
			"type":       "message",
			"message_ts": ts,
			"channel_id": p.channel,
			"thread_ts":  p.root,
		},
		"actions": []any{map[string]any{
			"type":      "button",
			"action_id": action,
			"value":     value,
			"action_ts": fmt.Sprintf("%d.%06d", time.Now().Unix(), p.number),
		}},
	}
	frame, err := json.Marshal(map[string]any{
		"envelope_id": fmt.Sprint("forged-", p.number, "-", s.at),
		"type":        "interactive",
		"payload":     payload,
	})
	if err != nil {
		return err
	}
	return p.send(ctx, string(frame))
}

// shows returns the ts of the bot's message with a button of that value, or of its
// newest message if there is none.
func (p *officeCase) shows(value string) (ts string) {
	for _, m := range p.own() {
		ts = m.TS
		for _, c := range m.Pressable() {
			if c.Value == value {
				return ts
			}
		}
	}
	return ts
}

// behind is an event that the app is subscribed to, and that the bot only acknowledges.
var behind = map[string]any{"type": "app_home_opened", "tab": "messages"}

// send delivers a frame, and returns when it was handled: two events that are sent after it on the same
// connection are acknowledged. The bot takes events together that wait together, and acknowledges the first
// of the two before it stores a message of the frame; the second one is sent when the first is acknowledged.
func (p *officeCase) send(ctx context.Context, frame string) error {
	if err := p.stage.Slack.Frame(frame); err != nil {
		return err
	}
	for range 2 {
		if err := p.stage.Slack.Emit(p.channel, behind); err != nil {
			return err
		}
		if err := p.stage.Slack.WaitTaken(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *officeCase) frame(ctx context.Context, s badStep) error {
	return p.send(ctx, p.filled(s.text()))
}

func (p *officeCase) event(_ context.Context, s badStep) error {
	var event map[string]any
	if err := json.Unmarshal([]byte(p.filled(s.text())), &event); err != nil {
		return err
	}
	return p.stage.Slack.Emit(p.channel, event)
}

func (p *officeCase) filled(text string) string {
	pairs := []string{
		"$channel", p.channel, "$root", p.root, "$last", p.last, "$bot", p.stage.Slack.App().BotUser, "$team",
		p.stage.Slack.App().TeamID, "$donor", p.donor, "$place", fmt.Sprintf("(place %d)", p.number),
		"$shown", p.shown("fix_it", false),
	}
	for name, id := range p.people {
		pairs = append(pairs, "$"+name, id)
	}
	for _, action := range []string{"fix_it", "stop", "correct", "push_it"} {
		pairs = append(pairs, "$value-"+action, p.button(action))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (p *officeCase) command(_ context.Context, s badStep) error {
	who := p.who(&s)
	name := s.word()
	return p.stage.Slack.Command(p.channel, who, name, p.marked(p.mentions(s.text())))
}

// again delivers all events of the place again.
func (p *officeCase) again(ctx context.Context, s badStep) error {
	if err := p.stage.Slack.WaitTaken(ctx); err != nil {
		return err
	}
	var ids []string
	for _, d := range p.stage.Slack.Deliveries() {
		id := d.EventID
		if id == "" {
			id = d.EnvelopeID
		}
		if strings.Contains(string(d.Payload), p.channel) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for range s.number() {
		for _, id := range ids {
			if err := p.stage.Slack.Redeliver(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// person adds a new person to the place.
func (p *officeCase) person(_ context.Context, s badStep) error {
	name := s.word()
	u := slacktest.User{Name: fmt.Sprintf("%s-%d", name, p.number), RealName: s.text()}
	p.people[name] = p.stage.Slack.AddUser(u).ID
	return p.stage.Slack.ChangeChannel(p.channel,
		func(ch *slacktest.Channel) { ch.Members = append(ch.Members, p.people[name]) })
}

func (p *officeCase) change(_ context.Context, s badStep) error {
	who := p.who(&s)
	how := s.text()
	if how == "left" {
		return p.stage.Slack.Leave(p.channel, who)
	}
	return p.stage.Slack.ChangeUser(who, func(u *slacktest.User) {
		switch how {
		case "deleted":
			u.Deleted = true
		case "guest":
			u.Kind = slacktest.Guest
		case "external":
			u.Kind = slacktest.External
			u.TeamID = "T0ELSEWHERE"
		}
	})
}

func (p *officeCase) fault(_ context.Context, s badStep) error {
	f := slacktest.Fault{Method: s.word()}
	switch how := s.word(); how {
	case "lost":
		f.LoseAnswer = true
	case "500":
		f.Status = 500
	default:
		f.Error = how
	}
	f.Times = max(1, s.number())
	p.stage.Slack.Order(f)
	return nil
}

// trouble causes a fault that affects all places.
func (p *officeCase) trouble(ctx context.Context, s badStep) error {
	switch s.verb {
	case "lose":
		p.stage.Slack.DropAcks(1)
		return nil
	case "expire":
		p.stage.Slack.ExpireAcks()
		return nil
	case "clear":
		p.stage.Slack.ClearFaults()
		return nil
	case "cut":
		p.stage.Slack.Cut()
	case "disconnect":
		p.stage.Slack.Disconnect(s.text())
	}
	return p.stage.Slack.WaitConnected(ctx, 1)
}

// crowd posts replies in the thread that do not mention the bot.
func (p *officeCase) crowd(_ context.Context, s badStep) error {
	for n := range s.number() {
		if _, err := p.stage.Slack.Say(p.channel, p.people["bea"], fmt.Sprintf("reply number %d here", n),
			p.root); err != nil {
			return err
		}
	}
	return nil
}

func (p *officeCase) restart(context.Context, badStep) error {
	if err := p.stage.Halt(); err != nil {
		return err
	}
	return p.stage.Start(context.Background())
}

// base commits to the base branch of the remote.
func (p *officeCase) base(context.Context, badStep) error {
	commit, err := p.git("commit-tree", "-p", "main", "-m", "theirs", "main^{tree}")
	if err == nil {
		_, err = p.git("update-ref", "refs/heads/main", commit)
	}
	return err
}

// calls queues the model's next tool call.
func (p *officeCase) calls(_ context.Context, s badStep) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, chatmodel.Call{Name: s.word(), Args: p.filled(s.text())})
	return nil
}

// await waits until the bot has posted the text. It fails if the place settles again and again for some time,
// and the text is still missing.
func (p *officeCase) await(ctx context.Context, s badStep) error {
	for until := time.Now().Add(10 * time.Second); ; harness.Sleep(ctx, 50*time.Millisecond) {
		if p.has(s.text(), p.heard) {
			return nil
		}
		late := time.Now().After(until)
		if err := p.settle(ctx); err != nil {
			return err
		}
		if late && !p.has(s.text(), p.heard) {
			break
		}
	}
	return fmt.Errorf("waited for %q; the thread is:\n%s", s.text(),
		p.stage.Slack.ExportText(p.channel, p.root))
}

// has reports whether a message of the bot contains text, without the first after messages.
func (p *officeCase) has(text string, after int) bool {
	own := p.own()
	return slices.ContainsFunc(own[min(after, len(own)):], func(m slacktest.Message) bool {
		return strings.Contains(harness.Unmarked(p.stage.Slack.Readable(m.Text)), text)
	})
}

// due checks an expectation of a settled place.
func (p *officeCase) due(ctx context.Context, s badStep) error {
	p.stated[s.verb] = true
	if p.dueInWords(s) {
		return nil
	}
	now, err := p.count(ctx)
	if err != nil {
		return err
	}
	n := s
	want := n.number()
	// A frame that is not an event is not acknowledged, so nothing shows when it was handled.
	for until := time.Now().Add(harness.StepTimeout); s.verb == "sessions" && now.sessions < want &&
		time.Now().Before(until); {
		harness.Sleep(ctx, 20*time.Millisecond)
		if now, err = p.count(ctx); err != nil {
			return err
		}
	}
	switch s.verb {
	case "sessions":
		p.hold(s, now.sessions == want, "there are %d", now.sessions)
	case "approvals":
		p.hold(s, now.approvals == want, "there are %d", now.approvals)
	case "pushes":
		p.hold(s, now.pushes == want, "there are %d", now.pushes)
	case "phase", "refusals", "branch", "inbox":
		sql := map[string]string{
			"phase": `select coalesce(string_agg(phase, ' '), '') from sessions where channel = $1`,
			"refusals": `select count(*)::text from decisions d join sessions s on s.id = d.session_id
				where not allowed and channel = $1`,
			"inbox": `select count(*)::text from inbox i join sessions s on s.id = i.session_id
				where channel = $1 and i.kind <> 'earlier'`,
			"branch": `select coalesce(string_agg(branch, ' '), '') from sessions where channel = $1`,
		}[s.verb]
		var got string
		if err := p.stage.Store.Pool.QueryRow(ctx, sql, p.channel).Scan(&got); err != nil {
			return err
		}
		p.hold(s, got == s.text(), "it is %q", got)
	default:
		return fmt.Errorf("no such step")
	}
	return nil
}

// dueInWords checks an expectation about the bot's messages or the model's prompts. It returns false for
// another verb.
func (p *officeCase) dueInWords(s badStep) bool {
	own := p.own()
	own = own[min(p.heard, len(own)):]
	raw, whispers := "", ""
	for _, m := range own {
		raw += m.Text + "\n" + string(m.Blocks) + "\n"
	}
	for _, m := range p.stage.Slack.Ephemeral() {
		if m.Channel == p.channel {
			whispers += m.Text + "\n"
		}
	}
	p.mu.Lock()
	asked := strings.Join(p.asked, "\n")
	p.mu.Unlock()
	switch s.verb {
	case "says":
		p.hold(s, p.has(s.text(), p.heard), "it is not said:\n%s", raw)
	case "silent":
		p.hold(s, len(own) == 0, "this was said:\n%s", raw)
	case "lines":
		p.hold(s, len(own) == s.number(), "%d messages:\n%s", len(own), raw)
	case "never":
		p.hold(s, !strings.Contains(raw, p.filled(s.text())), "it is said:\n%s", raw)
	case "raw":
		p.hold(s, strings.Contains(raw, s.text()), "it is not said so:\n%s", raw)
	case "whisper":
		p.hold(s, strings.Contains(whispers, s.text()), "it was whispered: %s", whispers)
	case "told":
		p.hold(s, strings.Contains(asked, inJSON(s.text())), "the model was not told:\n%s", asked)
	case "untold":
		p.hold(s, !strings.Contains(asked, inJSON(s.text())), "the model was told:\n%s", asked)
	default:
		return false
	}
	return true
}

func inJSON(text string) string {
	b, _ := json.Marshal(text)
	return strings.Trim(string(b), `"`)
}
