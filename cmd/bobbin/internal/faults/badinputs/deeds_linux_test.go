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
//	fault METHOD ERROR N, clear, lose acks, expire, cut, disconnect REASON, restart
//	                   affect all places: only in a batch with "alone"
//	model TOOL JSON    the model's next tool call
//
// The other verbs are expectations; all but await are checked by due:
//
//	await TEXT, says TEXT, silent, lines N, never TEXT, raw TEXT, whisper TEXT
//	sessions N, approvals N, pushes N, inbox N, phase PHASE, refusals N, branch TEXT
//	told TEXT, untold TEXT    what the model was shown
func (o *officeCase) deeds() map[string]func(context.Context, badStep) error {
	return map[string]func(context.Context, badStep) error{
		"say":        o.say,
		"new":        o.say,
		"share":      o.share,
		"bot":        o.sayAsBot,
		"hook":       o.sayAsBot,
		"own":        o.sayAsOurs,
		"edit":       o.edit,
		"delete":     o.remove,
		"react":      o.react,
		"click":      o.click,
		"first":      o.click,
		"clicks":     o.clicks,
		"press":      o.press,
		"press-on":   o.press,
		"command":    o.command,
		"event":      o.event,
		"frame":      o.frame,
		"again":      o.again,
		"person":     o.person,
		"change":     o.change,
		"fault":      o.fault,
		"lose":       o.trouble,
		"expire":     o.trouble,
		"cut":        o.trouble,
		"disconnect": o.trouble,
		"clear":      o.trouble,
		"crowd":      o.crowd,
		"restart":    o.restart,
		"base":       o.base,
		"model":      o.calls,
		"await":      o.await,
	}
}

func (o *officeCase) step(ctx context.Context, s badStep) error {
	if do, ok := o.deeds()[s.verb]; ok {
		return do(ctx, s)
	}
	if err := o.settle(ctx); err != nil {
		return err
	}
	return o.due(ctx, s)
}

// who takes a name off the step and returns the person's user ID.
func (o *officeCase) who(s *badStep) string {
	name := s.word()
	id, ok := o.people[name]
	if !ok {
		panic(fmt.Sprintf("%s:%d: nobody is called %q", o.batch.name, s.at, name))
	}
	return id
}

var mentioned = regexp.MustCompile(`@(\w+)`)

func (o *officeCase) mentions(text string) string {
	return mentioned.ReplaceAllStringFunc(text, func(m string) string {
		if m == "@bobbin" {
			return o.stage.Slack.Mention()
		}
		if id, ok := o.people[m[1:]]; ok {
			return "<@" + id + ">"
		}
		return m
	})
}

// marked appends the number of the place, by which the model recognises it.
func (o *officeCase) marked(text string) string { return fmt.Sprintf("%s (place %d)", text, o.number) }

func (o *officeCase) say(_ context.Context, s badStep) error {
	who := o.who(&s)
	root := o.root
	text := o.filled(o.mentions(s.text()))
	switch {
	case s.verb == "new":
		root = ""
	case root == "":
		text = o.marked(text)
	}
	ts, err := o.stage.Slack.Say(o.channel, who, text, root)
	if o.root == "" {
		o.root = ts
	}
	o.last = ts
	return err
}

func (o *officeCase) share(_ context.Context, s badStep) error {
	who := o.who(&s)
	name := s.word()
	text := o.mentions(s.text())
	root := o.root
	if root == "" {
		text = o.marked(text)
	}
	ts, err := o.stage.Slack.Share(o.channel, who, text, root, name)
	if o.root == "" {
		o.root = ts
	}
	o.last = ts
	return err
}

func (o *officeCase) sayAsBot(_ context.Context, s badStep) error {
	who := map[string]string{"bot": "buildbot", "hook": "hook"}[s.verb]
	_, err := o.stage.Slack.SayAsBot(o.channel, o.people[who], o.mentions(s.text()), o.root)
	return err
}

func (o *officeCase) sayAsOurs(_ context.Context, s badStep) error {
	r, err := http.PostForm(o.stage.Slack.URL()+"chat.postMessage", url.Values{
		"token":        {o.stage.Slack.App().BotToken},
		"channel":      {o.channel},
		"text":         {o.mentions(s.text())},
		"thread_ts":    {o.root},
		"unfurl_links": {"false"},
		"unfurl_media": {"false"},
	})
	if err != nil {
		return err
	}
	o.heard++
	return r.Body.Close()
}

func (o *officeCase) edit(_ context.Context, s badStep) error {
	return o.stage.Slack.Edit(o.channel, o.last, o.mentions(s.text()))
}

func (o *officeCase) remove(_ context.Context, s badStep) error {
	ts := o.last
	if s.text() == "root" {
		ts = o.root
	}
	return o.stage.Slack.Delete(o.channel, ts)
}

func (o *officeCase) react(_ context.Context, s badStep) error {
	who := o.who(&s)
	own := o.own()
	if len(own) == 0 {
		return fmt.Errorf("the bot said nothing yet")
	}
	return o.stage.Slack.React(o.channel, own[len(own)-1].TS, who, s.text())
}

// shown returns the ts of the bot's newest message with a button of that action, or of the oldest.
func (o *officeCase) shown(action string, first bool) (found string) {
	for _, m := range o.own() {
		for _, c := range m.Pressable() {
			if c.ActionID == action && (!first || found == "") {
				found = m.TS
			}
		}
	}
	return found
}

func (o *officeCase) click(_ context.Context, s badStep) error {
	who := o.who(&s)
	action := s.word()
	return o.stage.Slack.Click(o.channel, o.shown(action, s.verb == "first"), action, who)
}

func (o *officeCase) clicks(_ context.Context, s badStep) error {
	n := s.number()
	who := o.who(&s)
	action := s.word()
	at := o.shown(action, false)
	var all errgroup.Group
	all.SetLimit(16)
	for range n {
		all.Go(func() error { return o.stage.Slack.Click(o.channel, at, action, who) })
	}
	return all.Wait()
}

// press sends a forged block_actions payload, with any value.
func (o *officeCase) press(ctx context.Context, s badStep) error {
	ts := ""
	if s.verb == "press-on" {
		ts = o.filled(s.word())
	}
	who := o.who(&s)
	action := s.word()
	value := o.filled(s.text())
	if s.verb != "press-on" {
		ts = o.shows(value)
	}
	payload := map[string]any{
		"type":    "block_actions",
		"user":    map[string]any{"id": who, "team_id": o.stage.Slack.App().TeamID},
		"channel": map[string]any{"id": o.channel},
		"container": map[string]any{
			"type":       "message",
			"message_ts": ts,
			"channel_id": o.channel,
			"thread_ts":  o.root,
		},
		"actions": []any{map[string]any{
			"type":      "button",
			"action_id": action,
			"value":     value,
			"action_ts": fmt.Sprintf("%d.%06d", time.Now().Unix(), o.number),
		}},
	}
	frame, err := json.Marshal(map[string]any{
		"envelope_id": fmt.Sprint("forged-", o.number, "-", s.at),
		"type":        "interactive",
		"payload":     payload,
	})
	if err != nil {
		return err
	}
	return o.send(ctx, string(frame))
}

// shows returns the ts of the bot's message with a button of that value, or of its
// newest message if there is none.
func (o *officeCase) shows(value string) (ts string) {
	for _, m := range o.own() {
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
func (o *officeCase) send(ctx context.Context, frame string) error {
	if err := o.stage.Slack.Frame(frame); err != nil {
		return err
	}
	for range 2 {
		if err := o.stage.Slack.Emit(o.channel, behind); err != nil {
			return err
		}
		if err := o.stage.Slack.WaitTaken(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (o *officeCase) frame(ctx context.Context, s badStep) error {
	return o.send(ctx, o.filled(s.text()))
}

func (o *officeCase) event(_ context.Context, s badStep) error {
	var event map[string]any
	if err := json.Unmarshal([]byte(o.filled(s.text())), &event); err != nil {
		return err
	}
	return o.stage.Slack.Emit(o.channel, event)
}

func (o *officeCase) filled(text string) string {
	pairs := []string{
		"$channel", o.channel, "$root", o.root, "$last", o.last, "$bot", o.stage.Slack.App().BotUser, "$team",
		o.stage.Slack.App().TeamID, "$donor", o.donor, "$place", fmt.Sprintf("(place %d)", o.number),
		"$shown", o.shown("fix_it", false),
	}
	for name, id := range o.people {
		pairs = append(pairs, "$"+name, id)
	}
	for _, action := range []string{"fix_it", "stop", "correct", "push_it"} {
		pairs = append(pairs, "$value-"+action, o.button(action))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (o *officeCase) command(_ context.Context, s badStep) error {
	who := o.who(&s)
	name := s.word()
	return o.stage.Slack.Command(o.channel, who, name, o.marked(o.mentions(s.text())))
}

// again delivers all events of the place again.
func (o *officeCase) again(ctx context.Context, s badStep) error {
	if err := o.stage.Slack.WaitTaken(ctx); err != nil {
		return err
	}
	var ids []string
	for _, d := range o.stage.Slack.Deliveries() {
		id := d.EventID
		if id == "" {
			id = d.EnvelopeID
		}
		if strings.Contains(string(d.Payload), o.channel) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for range s.number() {
		for _, id := range ids {
			if err := o.stage.Slack.Redeliver(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// person adds a new person to the place.
func (o *officeCase) person(_ context.Context, s badStep) error {
	name := s.word()
	u := slacktest.User{Name: fmt.Sprintf("%s-%d", name, o.number), RealName: s.text()}
	o.people[name] = o.stage.Slack.AddUser(u).ID
	return o.stage.Slack.ChangeChannel(o.channel,
		func(ch *slacktest.Channel) { ch.Members = append(ch.Members, o.people[name]) })
}

func (o *officeCase) change(_ context.Context, s badStep) error {
	who := o.who(&s)
	how := s.text()
	if how == "left" {
		return o.stage.Slack.Leave(o.channel, who)
	}
	return o.stage.Slack.ChangeUser(who, func(u *slacktest.User) {
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

func (o *officeCase) fault(_ context.Context, s badStep) error {
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
	o.stage.Slack.Order(f)
	return nil
}

// trouble causes a fault that affects all places.
func (o *officeCase) trouble(ctx context.Context, s badStep) error {
	switch s.verb {
	case "lose":
		o.stage.Slack.DropAcks(1)
		return nil
	case "expire":
		o.stage.Slack.ExpireAcks()
		return nil
	case "clear":
		o.stage.Slack.ClearFaults()
		return nil
	case "cut":
		o.stage.Slack.Cut()
	case "disconnect":
		o.stage.Slack.Disconnect(s.text())
	}
	return o.stage.Slack.WaitConnected(ctx, 1)
}

// crowd posts replies in the thread that do not mention the bot.
func (o *officeCase) crowd(_ context.Context, s badStep) error {
	for n := range s.number() {
		if _, err := o.stage.Slack.Say(o.channel, o.people["bea"], fmt.Sprintf("reply number %d here", n),
			o.root); err != nil {
			return err
		}
	}
	return nil
}

func (o *officeCase) restart(context.Context, badStep) error {
	if err := o.stage.Halt(); err != nil {
		return err
	}
	return o.stage.Start(context.Background())
}

// base commits to the base branch of the remote.
func (o *officeCase) base(context.Context, badStep) error {
	commit, err := o.git("commit-tree", "-p", "main", "-m", "theirs", "main^{tree}")
	if err == nil {
		_, err = o.git("update-ref", "refs/heads/main", commit)
	}
	return err
}

// calls queues the model's next tool call.
func (o *officeCase) calls(_ context.Context, s badStep) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, chatmodel.Call{Name: s.word(), Args: o.filled(s.text())})
	return nil
}

// await waits until the bot has posted the text, or shown it to one person alone. It fails if the place
// settles again and again for some time, and the text is still missing.
func (o *officeCase) await(ctx context.Context, s badStep) error {
	for until := time.Now().Add(10 * time.Second); ; harness.Sleep(ctx, 50*time.Millisecond) {
		if o.has(s.text(), o.heard) || o.hasAlone(s.text()) {
			return nil
		}
		late := time.Now().After(until)
		if err := o.settle(ctx); err != nil {
			return err
		}
		if late && !o.has(s.text(), o.heard) && !o.hasAlone(s.text()) {
			break
		}
	}
	return fmt.Errorf("waited for %q; the thread is:\n%s\nalone: %q", s.text(),
		o.stage.Slack.ExportText(o.channel, o.root), o.shownAlone())
}

// hasAlone reports whether the bot has shown text to one person alone since the case began.
func (o *officeCase) hasAlone(text string) bool {
	contains := func(shown string) bool { return strings.Contains(shown, text) }
	return slices.ContainsFunc(o.shownAlone(), contains)
}

// shownAlone returns what the bot has shown to one person alone since the case began.
func (o *officeCase) shownAlone() (texts []string) {
	shown := o.alone()
	return shown[min(o.heardAlone, len(shown)):]
}

// alone returns everything that the bot has shown in the channel to one person alone.
func (o *officeCase) alone() (texts []string) {
	for _, m := range o.stage.Slack.Ephemeral() {
		if m.Channel == o.channel {
			texts = append(texts, harness.Unmarked(o.stage.Slack.Readable(m.Text)))
		}
	}
	return texts
}

// has reports whether a message of the bot contains text, without the first after messages.
func (o *officeCase) has(text string, after int) bool {
	own := o.own()
	return slices.ContainsFunc(own[min(after, len(own)):], func(m slacktest.Message) bool {
		return strings.Contains(harness.Unmarked(o.stage.Slack.Readable(m.Text)), text)
	})
}

// due checks an expectation of a settled place.
func (o *officeCase) due(ctx context.Context, s badStep) error {
	o.stated[s.verb] = true
	if o.dueInWords(s) {
		return nil
	}
	now, err := o.count(ctx)
	if err != nil {
		return err
	}
	n := s
	want := n.number()
	// A frame that is not an event is not acknowledged, so nothing shows when it was handled.
	for until := time.Now().Add(harness.StepTimeout); s.verb == "sessions" && now.sessions < want &&
		time.Now().Before(until); {
		harness.Sleep(ctx, 20*time.Millisecond)
		if now, err = o.count(ctx); err != nil {
			return err
		}
	}
	switch s.verb {
	case "sessions":
		o.hold(s, now.sessions == want, "there are %d", now.sessions)
	case "approvals":
		o.hold(s, now.approvals == want, "there are %d", now.approvals)
	case "pushes":
		o.hold(s, now.pushes == want, "there are %d", now.pushes)
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
		if err := o.stage.Store.Pool.QueryRow(ctx, sql, o.channel).Scan(&got); err != nil {
			return err
		}
		o.hold(s, got == s.text(), "it is %q", got)
	default:
		return fmt.Errorf("no such step")
	}
	return nil
}

// dueInWords checks an expectation about the bot's messages or the model's prompts. It returns false for
// another verb.
func (o *officeCase) dueInWords(s badStep) bool {
	own := o.own()
	own = own[min(o.heard, len(own)):]
	raw, whispers := "", ""
	for _, m := range own {
		raw += m.Text + "\n" + string(m.Blocks) + "\n"
	}
	for _, m := range o.stage.Slack.Ephemeral() {
		if m.Channel == o.channel {
			whispers += m.Text + "\n"
		}
	}
	o.mu.Lock()
	asked := strings.Join(o.asked, "\n")
	o.mu.Unlock()
	switch s.verb {
	case "says":
		o.hold(s, o.has(s.text(), o.heard), "it is not said:\n%s", raw)
	case "silent":
		o.hold(s, len(own) == 0, "this was said:\n%s", raw)
	case "lines":
		o.hold(s, len(own) == s.number(), "%d messages:\n%s", len(own), raw)
	case "never":
		o.hold(s, !strings.Contains(raw, o.filled(s.text())), "it is said:\n%s", raw)
	case "raw":
		o.hold(s, strings.Contains(raw, s.text()), "it is not said so:\n%s", raw)
	case "whisper":
		o.hold(s, strings.Contains(whispers, s.text()), "it was whispered: %s", whispers)
	case "told":
		o.hold(s, strings.Contains(asked, inJSON(s.text())), "the model was not told:\n%s", asked)
	case "untold":
		o.hold(s, !strings.Contains(asked, inJSON(s.text())), "the model was told:\n%s", asked)
	default:
		return false
	}
	return true
}

func inJSON(text string) string {
	b, _ := json.Marshal(text)
	return strings.Trim(string(b), `"`)
}
