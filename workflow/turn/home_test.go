package turn

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// broken is a directory of which one part cannot be read.
type broken struct {
	home.Directory
	known, channels bool
}

func (b broken) Known(ctx context.Context, user string) (workflow.Person, error) {
	if b.known {
		return workflow.Person{}, errors.New("Slack is away")
	}
	return b.Directory.Known(ctx, user)
}

func (b broken) Channels(ctx context.Context, user string) ([]string, error) {
	if b.channels {
		return nil, errors.New("Slack is away")
	}
	return b.Directory.Channels(ctx, user)
}

// reportedBy begins a session of the user in the office's channel, with a report that waits for
// approval, and returns its id.
func (o *office) reportedBy(user, repository, ts string) string {
	o.t.Helper()
	ctx := o.t.Context()
	in, err := o.ask(ctx, workflow.Thread{Team: "T1", Channel: o.channel, TS: ts}, user, repository)
	require.NoError(o.t, err)
	report := workflow.Report{
		Session:    in.Session().ID,
		Revision:   1,
		Kind:       workflow.ReportRootCause,
		Body:       []byte(`{}`),
		Text:       "the cause",
		BaseCommit: "c0ffee",
	}
	require.NoError(o.t, in.Record(ctx,
		store.Update{
			Change: func(s *workflow.Session) { s.Repository = repository },
			Events: []workflow.Event{workflow.EventReport},
			Open:   ledger.Rest,
		},
		store.Usage{USD: 0.25},
		consent.Report(report),
	))
	return in.Session().ID
}

func idsOf(list []workflow.HomeSession) (ids []string) {
	for _, x := range list {
		ids = append(ids, x.ID)
	}
	return ids
}

// For each kind of person, with everything else alike, the home shows the sessions that the person may
// see.
func TestAHomeShowsWhatItsOwnerMaySee(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	people := o.Slack.(asKept).Slack.(*people.Directory)
	asked := o.reportedBy(o.asker, "anybody", "10.1")
	guest := ""
	for _, a := range o.actors {
		if a.kind == "guest of several channels" {
			guest = a.user
		}
	}
	guests := o.reportedBy(guest, "anybody", "11.1")
	for _, a := range o.actors {
		if a.rules != "anybody" {
			continue
		}
		home, err := (&home.Homes{
			Store:        o.Store,
			Repositories: o.Repositories,
			Log:          o.Log,
			Directory:    people,
		}).Home(t.Context(), a.user)
		require.NoError(t, err, a.kind)
		var waits, others []string
		switch {
		case a.may:
			waits = []string{guests, asked}
		case a.user == guest:
			others = []string{guests}
		}
		require.Equal(t, waits, idsOf(home.Waits), a.kind)
		require.Equal(t, others, idsOf(home.Others), a.kind)
		require.Empty(t, home.Settings, a.kind)
		require.Equal(t, a.user == "U0UNKNOWN", home.OwnOnly, a.kind)
	}
	mine, err := (&home.Homes{
		Store:        o.Store,
		Repositories: o.Repositories,
		Log:          o.Log,
		Directory:    people,
		Admins:       []string{o.asker, guest},
		Settings:     []string{"x"},
	}).Home(t.Context(), o.asker)
	require.NoError(t, err)
	require.Equal(t, []string{"x"}, mine.Settings)
	require.InDelta(t, 0.25, mine.Today.USD, 1e-9)
	theirs, err := (&home.Homes{
		Store:        o.Store,
		Repositories: o.Repositories,
		Log:          o.Log,
		Directory:    people,
		Admins:       []string{o.asker, guest},
		Settings:     []string{"x"},
	}).Home(t.Context(), guest)
	require.NoError(t, err)
	require.Empty(t, theirs.Settings, "a guest is no admin, whoever names them")
}

// A home offers its owner the forms that open for them, and says in their place why none does. A form that
// was offered before refuses for the same reason.
func TestAHomeOffersTheFormsThatOpen(t *testing.T) {
	t.Parallel()
	const (
		guests  = "Guests cannot start work here; ask a full member to."
		outside = "Only full members of this workspace can start work here; ask one to."
		nowhere = "You are in no channel with me. Invite me to one, or write me a direct message."
	)
	reasons := map[string]string{
		"member": "", "requester": "",
		"guest of several channels": guests, "guest of one channel": guests,
		"stranger of another workspace": outside, "another bot": outside, "our own bot": outside,
		"deactivated": outside, "member who is not in the channel": nowhere,
	}
	o := openOffice(t)
	h := &home.Homes{
		Store: o.Store, Repositories: o.Repositories, Log: o.Log,
		Directory: o.Slack.(asKept).Slack.(*people.Directory),
	}
	seen := 0
	for _, a := range o.actors {
		want, known := reasons[a.kind]
		if !known {
			continue
		}
		seen++
		shown, err := h.Home(t.Context(), a.user)
		require.NoError(t, err, a.kind)
		require.Equal(t, want, shown.NoReport, a.kind)
		for _, action := range []workflow.ActionID{workflow.ButtonReport, workflow.ButtonFeature} {
			form, err := h.Form(t.Context(), a.user, action, "")
			require.NoError(t, err, a.kind)
			require.Equal(t, want, form.Late, a.kind)
			require.Equal(t, action, form.ActionID, a.kind)
		}
		if want != nowhere {
			why, err := h.MayReport(t.Context(), a.user, o.channel)
			require.NoError(t, err, a.kind)
			require.Equal(t, want, why, a.kind)
		}
	}
	require.Equal(t, len(reasons), seen)

	// Of somebody whom Slack tells nothing about now, a press asks once more.
	unknown, err := h.Home(t.Context(), "U0UNKNOWN")
	require.NoError(t, err)
	require.Empty(t, unknown.NoReport)
}

// A thread in which everything was refused, or was for somebody else, is not listed as being at work.
func TestAHomeListsOnlyWhatWasTaken(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	o := openOffice(t)
	begins := func(kind workflow.MessageKind, ts, user, text string) string {
		where := workflow.Thread{Team: "T1", Channel: o.channel, TS: ts}
		require.NoError(t, inbox.New(o.Store.DB, o.Store.Queue).Receive(ctx, workflow.IncomingEvent{
			EventID: "Ev " + ts,
			Kind:    kind,
			Thread:  where,
			TS:      ts,
			User:    user,
			Text:    text,
		}))
		var id string
		require.NoError(t,
			o.Store.Pool.QueryRow(ctx, `select id from sessions where thread_ts = $1`, ts).Scan(&id))
		return id
	}
	judged := func(id string) string {
		begun, err := o.beginTurn(ctx, id)
		require.NoError(t, err)
		require.NoError(t, begun.Judge.JudgeAll(ctx))
		return id
	}
	guest := ""
	for _, a := range o.actors {
		if a.kind == "guest of several channels" {
			guest = a.user
		}
	}
	judged(begins(workflow.MessageMention, "11.1", guest, "the total is off"))
	judged(begins(workflow.MessageReply, "12.1", o.asker, "<@U2> lunch?"))
	work := judged(begins(workflow.MessageMention, "13.1", o.asker, "the total is off"))
	unread := begins(workflow.MessageMention, "14.1", o.asker, "it is a cent")
	for _, user := range []string{o.asker, guest} {
		home, err := (&home.Homes{
			Store:        o.Store,
			Repositories: o.Repositories,
			Log:          o.Log,
			Directory:    o.Slack.(asKept).Slack.(*people.Directory),
		}).Home(ctx, user)
		require.NoError(t, err)
		if user == guest {
			require.Empty(t, home.Others)
		} else {
			require.ElementsMatch(t, []string{work, unread}, idsOf(home.Others))
		}
	}
}

// A home does not show what Slack cannot confirm that its owner may see.
func TestAHomeIsClosedOnError(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	people := o.Slack.(asKept).Slack.(*people.Directory)
	mine := o.reportedBy(o.asker, "anybody", "10.1")
	o.reportedBy("U0OTHER", "anybody", "11.1")
	for _, d := range []broken{{people, true, false}, {people, false, true}} {
		home, err := (&home.Homes{
			Store:        o.Store,
			Repositories: o.Repositories,
			Log:          o.Log,
			Directory:    d,
			Admins:       []string{o.asker},
			Settings:     []string{"x"},
		}).Home(t.Context(), o.asker)
		require.NoError(t, err)
		require.True(t, home.OwnOnly)
		require.Equal(t, []string{mine}, append(idsOf(home.Waits), idsOf(home.Others)...))
		require.Equal(t, d.known, home.Settings == nil)
	}
	whole, err := (&home.Homes{
		Store:        o.Store,
		Repositories: o.Repositories,
		Log:          o.Log,
		Directory:    people,
	}).Home(t.Context(), o.asker)
	require.NoError(t, err)
	require.Len(t, whole.Waits, 2, "the control: with an answer both are there")
}

// A report waits in the home of exactly the people who may approve in its repository.
func TestAHomeKnowsWhoMayApprove(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	byRules := map[string]string{}
	for i, rules := range []string{"another", "named", "group", "lost"} {
		byRules[rules] = o.reportedBy(o.asker, rules, fmt.Sprintf("1%d.1", i))
	}
	for _, a := range o.actors {
		if id := byRules[a.rules]; id != "" {
			home, err := (&home.Homes{
				Store:        o.Store,
				Repositories: o.Repositories,
				Log:          o.Log,
				Directory:    o.Slack.(asKept).Slack.(*people.Directory),
			}).Home(t.Context(), a.user)
			require.NoError(t, err, a.kind)
			require.Equal(t, a.may, slices.Contains(idsOf(home.Waits), id), a.kind)
		}
	}
}

// Each press on a home is checked anew, so an old home gives no rights.
func TestOnlyAdminsPause(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	h := &home.Homes{
		Store:        o.Store,
		Repositories: o.Repositories,
		Log:          o.Log,
		Directory:    o.Slack.(asKept).Slack.(*people.Directory),
		Admins:       []string{o.asker},
	}
	paused := func() int {
		list, err := store.ListPauses(t.Context(), o.Store.DB)
		require.NoError(t, err)
		return len(list)
	}
	for _, a := range o.actors {
		if a.user != o.asker {
			if err := h.Press(t.Context(), a.user, workflow.ButtonPause, "all"); err != nil {
				require.ErrorContains(t, err, "users.info", a.kind)
			}
			require.Zero(t, paused(), a.kind)
		}
	}
	require.Error(t, h.Press(t.Context(), o.asker, workflow.ButtonPause, "repository of somebody else"))
	require.Error(t, h.Press(t.Context(), o.asker, workflow.ButtonPause, ""))
	require.NoError(t, h.Press(t.Context(), o.asker, workflow.ButtonPause, "all"))
	require.NoError(t, h.Press(t.Context(), o.asker, workflow.ButtonPause, "all"))
	require.Equal(t, 1, paused())
	require.NoError(t, h.Press(t.Context(), o.asker, workflow.ButtonResume, "all"))
	require.Zero(t, paused())
	closed := *h
	closed.Directory = broken{Directory: h.Directory, known: true}
	require.Error(t, closed.Press(t.Context(), o.asker, workflow.ButtonPause, "all"))
	require.Zero(t, paused())
}

// TestHelpRemembersNames checks that a home asks Slack for no approver's name, and that help asks for each
// once.
func TestHelpRemembersNames(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	h := &home.Homes{
		Store:        o.Store,
		Repositories: rules(o.people["bea"], "S0GONE"),
		Log:          o.Log,
		Directory:    &people.Directory{Slack: o.Slack.(asKept).Slack.(*people.Directory).Slack},
	}
	asked := func() int { return len(o.slack.Requests("users.info")) }
	before := asked()
	for range 2 {
		_, err := h.Home(t.Context(), o.people["ann"])
		require.NoError(t, err)
	}
	require.Equal(t, before+2, asked(), "whose home it is")
	for range 2 {
		help, err := h.Help(t.Context(), workflow.HelpQuestion{Channel: o.channel})
		require.NoError(t, err)
		require.Contains(t, help.Markdown(), "`named`: bea.")
		require.Equal(t, before+3, asked(), "who bea is")
	}
}

// Only people who may approve in the thread of a lesson can change it on their home. The person is
// looked up when the button is pressed, and again when the form is submitted.
func TestOnlyWhoMayApproveChangesALesson(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	h := &home.Homes{
		Store:        o.Store,
		Repositories: o.Repositories,
		Log:          o.Log,
		Directory:    o.Slack.(asKept).Slack.(*people.Directory),
	}
	of := func(rules string) lessons.Lesson {
		t.Helper()
		list, err := lessons.Of(t.Context(), o.Store.DB, rules, "")
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0]
	}
	value := func(l lessons.Lesson) string {
		sum := sha256.Sum256([]byte(l.Text))
		return fmt.Sprintf("%d:%x", l.ID, sum[:8])
	}
	send := func(user, value, text string) (string, error) {
		return h.Submit(t.Context(), workflow.IncomingEvent{
			Kind:     workflow.MessageForm,
			ActionID: workflow.ButtonLesson,
			User:     user,
			Value:    value,
			Text:     text,
		})
	}
	planted := map[string]bool{}
	for i, a := range o.actors {
		if !planted[a.rules] {
			planted[a.rules] = true
			id := o.reportedBy(o.asker, a.rules, fmt.Sprintf("%d.1", 10+i))
			_, err := o.Store.Pool.Exec(t.Context(),
				`insert into lessons (repository, key, text, source, person, session_id)
					values ($1, 'note:1', 'cents', 'said in the thread', 'U1', $2)`,
				a.rules, id)
			require.NoError(t, err)
		}
		before := of(a.rules)
		shown, err := h.Home(t.Context(), a.user)
		require.NoError(t, err)
		offered := slices.ContainsFunc(shown.Lessons,
			func(l workflow.HomeLesson) bool { return l.Repository == a.rules && l.MayChange })
		require.Equal(t, a.may, offered, a.kind)
		form, err := h.Form(t.Context(), a.user, workflow.ButtonLesson, fmt.Sprint(before.ID))
		require.Equal(t, a.may, err == nil && form.Late == "", a.kind)
		late, err := send(a.user, value(before), "said by "+a.kind)
		require.Equal(t, a.may, err == nil && late == "", "%s: %s", a.kind, late)
		require.Equal(t, !a.may, of(a.rules).Text == before.Text, a.kind)
		if a.may {
			require.Equal(t, value(before), form.Value)
			late, err = send(a.user, value(before), "said by "+a.kind)
			require.NoError(t, err)
			require.Empty(t, late, "the same form twice is once")
			late, err = send(a.user, value(before), "over the words of others")
			require.NoError(t, err)
			require.Contains(t, late, "Somebody has changed this meanwhile")
		}
	}
	// Bea may change it, and what she sends is limited in length, masked and applied once.
	now := of("anybody")
	bea := o.people["bea"]
	late, err := send(bea, value(now), strings.Repeat("x", lessons.MaxText+1))
	require.NoError(t, err)
	require.Contains(t, late, "at most 300 characters")
	for range 2 {
		late, err = send(bea, value(now), "")
		require.NoError(t, err)
		require.Empty(t, late)
	}
	list, err := lessons.Of(t.Context(), o.Store.DB, "anybody", "")
	require.NoError(t, err)
	require.Empty(t, list)
	late, err = send(bea, value(now), "again")
	require.NoError(t, err)
	require.Contains(t, late, "This lesson is gone")
	form, err := h.Form(t.Context(), bea, workflow.ButtonLesson, "no number")
	require.NoError(t, err)
	require.NotEmpty(t, form.Late)

	for _, d := range []broken{{h.Directory, true, false}, {h.Directory, false, true}} {
		closed := *h
		closed.Directory = d
		before := of("named")
		_, err := closed.Submit(t.Context(),
			workflow.IncomingEvent{User: bea, Value: value(before), Text: "while Slack is away"})
		require.Error(t, err)
		require.Equal(t, before.Text, of("named").Text)
	}
}
