// Package workflow is the vocabulary of Bobbin: a session and its phases, what comes in,
// what is said, reports, approvals, tasks and attempts. It holds plain types and pure
// functions, and imports only the standard library.
//
// # The tour: one message, from Slack and back
//
// Somebody writes "@bobbin the total is a cent off" in #bugs.
//
// Slack sends it over a WebSocket, twice: as app_mention and as message.channels. In
// package bot, the Gateway makes an Incoming of each, and hands it to the Inbox. That is
// store.Store.Receive: one transaction finds or makes the thread's session, keeps the
// inbox row (the second event finds the message there and changes nothing), and puts a
// TurnJob in the queue. Only then the Gateway acknowledges the event. Should the program
// die before, Slack sends it again; should it die after, the job is there.
//
// A worker of the queue takes the TurnJob and calls turn.Runner.Run. The turn raises the
// session's epoch, which fences every earlier turn, and judges the message (turn/intake.go):
// who wrote it, whether it is consent (intent.ReadConsent), a stop, a click, or words for the
// agents. Then it opens the repository: package repo has one bare mirror of it and writes
// a throw-away tree out of it, without a git directory. Beside that the packages that its
// lock files name are fetched (repo/packages), and the base is built and tested: whatever runs
// a command waits for both.
//
// The orchestrator's loop (agent.Loop) asks the model through package model, records its
// answer, runs the tools it called (package tool reads files through os.Root and runs
// commands in repo/sandbox), and records each result: transcript item, line, outbox row
// and PostJob in one transaction (store.Turn.Record). Between two model calls it looks
// for what people wrote meanwhile; "stop" cancels it. When the model calls
// report_root_cause, a numbered Report with its hash is kept and shown, and the turn ends.
//
// Another worker takes the PostJob: poster.Poster marks the outbox row as tried, posts it
// with the row's key as metadata, and keeps the message's ts. If it finds a row that was
// tried, it looks the key up in the thread first. Lines that waited are one reply.
//
// A feature goes another way to the same place: restate_request shows it back, and where
// everybody whose words it is made of may approve, asking for it has allowed a branch
// (turn/permission.go). /grill-me puts questions
// first (turn/interview.go), /start-work a written plan (turn/request.go), /diagnose a
// Diagnosis Report (turn/report.go). Agents that only read, the consultant above all, are
// asked by rows of their own, beside the work (turn/inquiry.go).
//
// "Fix it" comes in by the same way. The turn judges it consent, reads afresh who wrote
// it, and writes the approval row in a compare-and-set: only while the session waits on
// that revision, only once, and beside it the permission, which the database holds to the
// author of the message. Now, and only now, the session has a workspace that may be
// written. From here on the words of people who may not approve wait for somebody who may
// (turn/heldback.go). The orchestrator delegates (turn/delegate.go); tasks that need nothing from each
// other work side by side in forks of it (turn/tasks.go). A worker's loop edits, and says
// done; what its skill and the approval's scope ask for is looked at; the program
// runs the proof (repo/proof): the new tests alone, laid over the base, must fail there;
// everything must pass on the branch; what passed before must still pass. Then the
// program makes the commit, keeps the intent to push, pushes, and looks with ls-refs that
// the branch is there. The result is a line like any other.
//
// What people read and models are shown has no secrets in it (workflow/redact). A change
// that decides more than what the code does waits for a word of its own before the push
// (turn/allowance.go), and a session that has used what it may rests until somebody
// allows more (turn/limit.go).
//
// Nothing calls back up: what goes out goes through Postgres. A turn that dies is taken
// up again from its rows: by the next process in the same data directory at once, by
// another replica when this one has been silent (queue.Replica), which also wakes a session
// that has something to do and no job. What is old is cleaned away by the hour.
package workflow
