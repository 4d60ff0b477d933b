// Package ledgertest opens what tests of a part of a turn need: a real Postgres with its own schema, and a
// session in it. It is for tests only. Package turntest opens a whole turn.
package ledgertest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/settlement"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// secret is the secret that every ledger of Open masks.
const secret = "a-given-value"

// Open begins a turn of a session whose request has the files, and returns the turn's ledger.
func Open(t testing.TB, slack ledger.Slack, files ...workflow.Attachment) *ledger.Ledger {
	t.Helper()
	st := storetest.Open(t)
	in := workflow.IncomingEvent{
		EventID: "Ev1",
		Kind:    workflow.MessageMention,
		Thread:  workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"},
		TS:      "1.0",
		User:    "ann",
		Text:    "it fails",
		Files:   files,
	}
	require.NoError(t, storetest.Inbox(st).Receive(t.Context(), in))
	in.EventID = "Ev2" // the second event of the same mention
	require.NoError(t, storetest.Inbox(st).Receive(t.Context(), in))
	sessions, err := st.Sessions(t.Context(), 2)
	require.NoError(t, err)
	require.Len(t, sessions, 1)
	begun, err := st.Begin(t.Context(), sessions[0].ID, settlement.Rule)
	require.NoError(t, err)
	require.NoError(t, begun.Record(t.Context(), inbox.Handled{ID: 1, ForAgents: true}))
	return &ledger.Ledger{
		Turn:    begun,
		Store:   st,
		Slack:   slack,
		Agents:  agent.Table(nil),
		Log:     storetest.Silent,
		Secrets: redact.New(secret),
	}
}
