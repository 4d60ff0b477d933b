// Package intent reads what people mean by their words: whether a message approves, limits,
// refuses or stops work, goes on with it, asks about it, answers a question, or starts a
// command. No model takes part.
//
// Each file holds some kinds of words, with the tables and expressions that know them:
//
//	consent.go     approvals, refusals and stops, the scope that limits a fix, "go on", "push it"
//	asking.go      adopting somebody else's request, passing words on, messages that only ask
//	words.go       redirections, questions about a change, interviews, which option is meant
//	command.go     /grill-me, /start-work, /diagnose, /consult, and the same in words
//	repository.go  the repository that a request is about
//	scope.go       the scope that a form asks for
//
// The functions are pure. Whatever may become a permission (ReadConsent, Adopts, Confirms,
// AllowsPush, PassesOn) takes the whole message or nothing: no quote, no code, no mention of
// somebody else, and no character that only looks like ASCII. Who wrote it, and whether that
// person may, is for the caller to judge. The text is as the gateway hands it on, without the
// bot's own mention.
package intent
