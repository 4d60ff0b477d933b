// Package intent reads what people mean by their words: whether a message approves, limits, refuses, stops or
// resumes work, asks about it, answers a question, or starts a command. No model takes part.
//
// The words that stop, hold, approve, refuse or resume work are lists in files, one file for each language:
// internal/phrases/languages. A new word of these goes there, also in English; package phrases describes the
// files. The configuration's words add to them: a Lexicon reads messages by the lists and by what was added.
// For what is more than a phrase, such as a limit, a file here is named after what its words mean, and a new
// word goes into the list or the expression in its file (goAhead in approval.go, rights in confirm.go). The
// files are:
//
//	reading.go     all that a message says, read once
//	receipt.go     what is read of a message before it is judged: whether it may stop work
//	lexicon.go     the lists by which messages are read
//	objection.go   what stops or holds approved work; it is read liberally
//	push_objection.go  sentences that deny a push in words that no list has
//	clause.go      the clauses of a message that its writer says, and does not only show
//	approval.go    words that approve a report, and words that only sound like approval
//	near_miss.go   what is almost an approval: slips, a yes in any language
//	scope.go       what limits a fix: "fix only the header", the form that asks for it, and conditions
//	refusal.go     words that negate an approval
//	resume.go      "go on", alone or as a sentence of a message
//	push.go        "push it"
//	backport.go    "backport this to release/1.4"
//	adopt.go       making another person's request one's own
//	confirm.go     confirming that an understanding is right
//	pass_on.go     letting held words reach the agents
//	redirect.go    redirecting work that is under way
//	task.go        "task 2: …", which names a task of the plan
//	question.go    messages that only ask for information
//	owners.go      questions about who knows the code
//	diff.go        questions about the change
//	request.go     what may be a request to build something, and how vague it is
//	forms/         sentences that hold work in words that no list has, as expressions: objects_to_work,
//	               push_objection, awaits_person; lazyregexp.Forms says how they are written
//	thanks.go      messages that only thank, or say that they were read
//	internal/command/  commands, in words or with a slash; lessons of a repository
//	internal/answer/   answers to questions with options, and to interviews
//	internal/phrases/  the lists of all languages
//	internal/words/    a message's own words, without quotes, code and courtesy; its sentences
//
// A message is read once, by [Lexicon.Read], and its judge gets the [Reading]. What of it may become a
// permission (Consent, Adopts, AdoptsToBuild, Confirms, Push, Backport, Lands, Files, MergesBase, PassesOn)
// accepts the whole message or nothing: no quote, no code, no mention of another person, and no character
// that only looks like one of the words. The Refusal is their opposite: it permits nothing, so one clause of
// a message is enough. The caller has to judge who wrote the message, and whether that person may permit
// anything. The text is as the gateway passes it on, without the bot's own mention.
package intent
