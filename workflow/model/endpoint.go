package model

import "github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"

// An Endpoint says where a model is served, and with which key and headers.
type Endpoint = endpoint.Endpoint

// An Error says why a request got no answer.
type Error = endpoint.Error

// A Kind says what a failed request means for the caller.
type Kind = endpoint.Kind

// The kinds of failure.
const (
	KindQuota = endpoint.KindQuota // no credit, no allowance, or rate limits that did not end
	// a wrong key or address, or a login page in between: an operator has to act
	KindAuth     = endpoint.KindAuth
	KindOverflow = endpoint.KindOverflow // the conversation is longer than the model's window
	// the endpoint does not accept this request, however often it is sent
	KindRefused     = endpoint.KindRefused
	KindUnreachable = endpoint.KindUnreachable // network trouble or a failing endpoint, after all tries
	KindBadAnswer   = endpoint.KindBadAnswer   // answers that were cut, stalled or not valid, after all tries
)

// ErrNoList is returned by Endpoint.List if the endpoint has no list of its models.
var ErrNoList = endpoint.ErrNoList
