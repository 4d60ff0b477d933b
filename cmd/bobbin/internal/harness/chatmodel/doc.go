// Package chatmodel is a model for tests, behind a real endpoint. A Policy decides from the
// conversation alone what the model calls next. A Stream writes an answer in pieces, for tests
// whose model answers badly. InvalidRequest checks requests as a strict endpoint does. Models
// that follow a script are in workflow/model/modeltest.
package chatmodel
