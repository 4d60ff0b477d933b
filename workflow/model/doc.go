// Package model speaks with language models through any endpoint that offers OpenAI's
// chat completions: OpenAI, OpenRouter, vLLM, llama.cpp and their like.
//
// Its contract:
//
//   - An answer is whole or it is an error. A stream that ends without a finish reason,
//     is cut, stalls or carries an error is thrown away with all it had said; a call that
//     arrived by half is never returned, and neither are the calls of an answer that was
//     cut at its length limit or by a content filter.
//   - Arguments are what the model wrote. They are never mended: what is not valid JSON
//     travels as a JSON string, which every Tool refuses in words that say how to do it
//     right, and which is sent back to the endpoint inside an object.
//   - The ids of calls are unique within a conversation: one that an earlier answer used is
//     renamed, since some servers count from call_0 in each. A call under an id that two
//     calls of its own answer share is Refused. Every call in the history is followed by its result on the wire.
//   - What is sent depends on the Request alone, byte for byte, and a longer conversation
//     begins with the bytes of the shorter one, so that endpoints can cache the prefix.
//   - Failures that pass (429, 5xx, network, cut streams) are tried again a bounded number
//     of times, as the endpoint asks or with growing, jittered waits. An exhausted quota
//     moves on to the next model of the fallback chain at once. Everything else is an
//     *Error at once, with a hint for the operator.
//   - The key is in the request's header and nowhere else: not in errors, not in logs.
//
// A Tool made by NewTool checks its arguments against its schema before its function
// sees them. A wrong call is a Result that is Wrong, for the model to read, and Malformed
// where it never reached the function; an error means that our own machine failed.
//
// The exchange with one endpoint, and what its failures mean, is in package endpoint.
// Chat completions alone are spoken. OpenAI's gpt-6 models refuse tools together with
// reasoning there; asking for both is a refused *Error whose hint says so.
package model
