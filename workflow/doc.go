// Package workflow is the language of Bobbin: the plain types and the pure functions that all other
// packages speak in. It imports the standard library and plaintext.
//
//   - session.go, phase.go: a session, the person who writes, and the phases of the work
//   - message.go: what people write and press, and what other apps post
//   - line.go, button.go, card.go, home.go: what people see and press in Slack
//   - report.go, diagnosis.go, remains.go: why something is wrong, and what speaks against the fix
//   - plan.go, task.go: what is to be done: questions, requests, plans, tasks and their attempts
//   - expectation.go: what tests expect today, and what they will expect after approved work
//   - inquiry.go: what agents that only read are asked
//   - permission.go: what people allow, and who may
//   - limit.go: how much may be used
//   - hunkresult.go, push.go: what the program found out about a change, and where the change went
//
// # The tour: one message, from Slack and back
//
// Paths here are below workflow where they name no other folder, and the rooms of a turn, such as judge
// and delivery, are below turn/internal. cmd/bobbin/layers_test.go says which door may import which.
//
// Ann writes "@bobbin the total is a cent off" in #bugs.
//
// In. Slack sends the message twice over a WebSocket: as app_mention and as message.
// bot/gateway reads each event (gateway.go), and bot/internal/event makes an IncomingEvent of it
// (event.go). The gateway gives it to its Inbox, which is inbox.Inbox.Receive
// (store/inbox/receive.go). One transaction finds or creates the session of the thread, inserts
// the inbox row, and inserts a turn job. The second event finds the row of the first and
// changes nothing. Events of one thread that arrive while a transaction runs are stored together in
// the next one (bot/gateway/messages.go).
// The gateway acknowledges an event after that commit: if the program dies earlier, Slack sends
// the event again; if it dies later, the job is there.
//
// The turn. A worker of store/queue (turn_worker.go) takes the job and calls turn.Runner.Run
// (turn/turn.go). The turn raises the session's epoch, which fences every earlier turn.
// judge reads each new message once: package intent makes one Reading of its words
// (intent/reading.go); no model takes part. Then the first rule of a table that fires judges it: a
// stop, an answer, an approval, a command, a press, or words for the agents (judge/event_rules.go,
// word_rules.go, press_rules.go). The order of the rules is a part of what they say, and
// docs/security.md shows them. worktree opens the repository (worktree.go): repo/git
// keeps one bare mirror of it, and writes the base commit into plain files without a
// git directory. Meanwhile repo/build/packages fetches what the lock files name, and repo/build
// builds and tests the base. A tool that runs a command waits for packages and build, a check for
// the base's tests, too.
//
// The agents. runtime runs the loop of the orchestrator (agent/loop.go) over its
// transcript. The loop asks the model (package model), records the answer, runs the tools
// that the model called, and records each result. Package tool reads files through an
// os.Root and runs commands in repo/sandbox; orchestrator holds the tools that decide.
// runtime (transcript.go) gives each result to ledger, which masks secrets and records
// it in one transaction (store/record.go): the item of the transcript, the line in the thread,
// its outbox row and a post job. Between two model calls the loop takes in
// what people wrote meanwhile. "Stop" cancels it: the inbox marks the session in the transaction that
// stores the message (store/inbox/receive.go), and the turn looks for that mark (turn/turn.go). When the
// model calls report_root_cause, the turn records a Report with a revision and a hash, shows it with its
// buttons, and ends.
//
// Out. Another worker (store/queue/drain_worker.go) takes the post job. bot/poster marks the
// outbox row as tried (poster.go), posts the line, which bot/internal/render has made, with the row's
// key as metadata, and records the ts of the message. If it finds a row that was tried
// before, it first looks for the key in the thread. Lines that waited are posted as one
// reply.
//
// # Approval, work and push
//
// Ann replies "fix it". The reply comes in like the first message. judge looks Ann up
// in Slack afresh, and the rule "approval" fires. Package approval judges it (approve.go), and
// permission decides whether she may approve (permission.go). One transaction inserts
// the approval and the permission that it rests on, only while the session waits on that
// revision, and only once. The database refuses a permission of anybody but the author of
// the message. From then on the words of people who may not approve wait until somebody who
// may passes them on (approval/held.go).
//
// Now, and not before, the session has a tree that agents may write. The orchestrator calls
// delegate (orchestrator/delegate.go). worker runs the tasks (tasks.go); tasks
// that do not depend on each other run side by side in forks of the tree. A worker edits,
// runs commands, and calls done (worker/claim.go). The program then checks what the task's skill
// demands (skill_gate.go), takes out what lies outside the approval's scope
// (scope/remove_outside.go), and runs the proof (repo/proof): the new tests, laid over the
// base, must fail there; on the branch everything must pass; and what passed before must
// still pass. The base's own versions of the tests that the change touches run on the new
// code, too: what does not pass there is a changed expectation. The worker is told of it
// once (worker/expectations.go).
//
// The orchestrator calls finish (delivery/finish.go). The program looks for secrets,
// proves the whole change, takes each hunk of the fix out, alone, to see whether anything
// fails without it (repo/proof/hunktrial), has what is left reviewed by the critic
// (delivery/review.go), makes the commit, records the intent to push, pushes, and asks
// the remote whether the branch is there. The result is a line like any other.
//
// If the repository has a git host (repo/host), the recording of the push also stores the intent
// to open a pull request (store/pullrequest) and queues a job. workflow/pullrequests opens the pull
// request and follows it: checks and the merge are posted in the thread, and comments become
// messages that judge judges like any other, but never accepts as an approval.
//
// # Other workflows
//
//   - A feature: restate_request shows it as the bot understood it (orchestrator/request.go). If everybody
//     who wrote a part of it may approve, asking for it permits the work
//     (permission/permission.go).
//   - /grill-me asks questions first (judge/interview.go), /start-work proposes a plan
//     and /diagnose makes a Diagnosis Report (judge/command.go,
//     orchestrator/tools.go).
//   - The consultant and the other agents that only read are asked by rows of their own, and
//     answer beside the work (inquiry).
//   - A change to CI files, lock files and the like, or to what an old test expects and the
//     approved report does not name, waits for "push it"
//     (delivery/allowance.go, approval/allowance.go).
//   - A session has a web page for everybody who may read its channel: bot/page shows what
//     store/view reads, and home.Access says who may look.
//   - "Who knows this?" is answered by the program (experts): CODEOWNERS and the history of the
//     cited lines, which repo/git/owners reads.
//   - A change of several repositories has a session for each of them in one thread: the thread's own, and
//     parts (store/inbox/parts.go). Each gets the messages of the thread, and judges which are for it
//     (judge/part.go). Their pushes go out one after another (store/consent/ahead.go), and their pull
//     requests name each other (pullrequests/together.go).
//   - "File it" files the newest report as an issue (approval/file.go): at the git host or in a tracker, by
//     package tickets from the rows of store/ticket. It also tells the tickets that a request named what
//     was pushed for them (delivery/tickets.go).
//   - "Continue in #payments" (approval/move.go) is a row of moves, and a posting that begins a thread. When
//     that is in Slack (store/outbox/move.go), the session's row gets the new thread, and what was posted
//     keeps the old one. Package inbox answers who writes in a thread that was left (store/inbox/move.go).
//   - Lessons about a repository (store/lessons) come only from what the program saw or a member
//     said (judge/lesson.go); agents get it as data with the brief (orchestrator/brief.go).
//   - The operator may pause a repository, a channel or everything (store/pauses.go); a
//     turn leaves the session as it is then (turn/pause.go).
//   - An alert that another app posts in a channel of its repository's watch_apps comes in like a
//     message (bot/internal/event/alert reads it). store/inbox finds its problem: the first alert begins a
//     session, later ones are counted in its thread and queue no turn. judge/alert.go gives
//     it to the agents as data without an author.
//   - What a visual task changes is shown after the push, beside the turns (pictures): a
//     Chromium in the sandbox takes pictures of pages before and after (repo/screenshot).
//   - A session at one of its limits pauses until somebody allows more (budget,
//     judge/go_on.go).
//
// # What holds everywhere
//
// No package calls one above it: every message that goes out is first a row in Postgres. Package
// redact masks secrets in what people and models read. If a turn dies, the next process in the
// same data directory continues it at once. If a replica gives no sign of life, another one takes
// over its jobs (store/queue/replica.go). Replicas also queue a job for each session that has
// work but no job. Old data is removed once an hour (cmd/bobbin/internal/housekeeping).
package workflow
