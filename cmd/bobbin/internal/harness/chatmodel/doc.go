// Package chatmodel is test support: a model behind a real endpoint. A Policy says what it
// calls next, from the conversation alone; a Stream writes an answer in pieces, for tests
// whose model answers badly; InvalidRequest looks at requests as a strict endpoint does.
// Models that follow a script instead are workflow/model/modeltest.
package chatmodel
