// Package chatmodel is a model for tests, behind a real HTTP endpoint. A Policy decides from the conversation
// alone which tool the model calls next. A Stream writes an answer in pieces, for tests whose model answers
// badly. InvalidRequest checks requests as a strict endpoint does. Models that follow a script are in
// workflow/model/modeltest.
package chatmodel
