// Package model asks language models through any endpoint that offers OpenAI's chat completions: OpenAI,
// OpenRouter, vLLM, llama.cpp and others.
//
// Its contract:
//
//   - An answer is whole, or it is an error. A stream that ends without a finish reason, is cut, stalls or
//     carries an error is discarded with everything that it held. An incomplete call is never returned, and
//     neither are the calls of an answer that was cut at its length limit or by a content filter.
//   - Arguments are what the model wrote. They are never repaired: text that is not valid JSON is kept as a
//     JSON string. Every Tool refuses such a string and says how to call it right, and the string is sent
//     back to the endpoint inside an object.
//   - The ids of calls are unique within a conversation. An id that an earlier answer used is renamed, since
//     some servers count from call_0 in each answer. Calls of one answer that share an id are Refused. In a
//     request, every call of the history is followed by its result.
//   - The bytes of a request depend only on the Request and on what its endpoint is known to accept, and a
//     longer conversation begins with the bytes of the shorter one, so that endpoints can cache the prefix.
//   - Temporary failures (429, 5xx, network, cut streams) are retried a limited number of times, after the
//     wait that the endpoint asks for or after growing waits with jitter. An exhausted quota moves on to the
//     next model of the fallback chain at once. Any other failure is returned at once as an *Error,
//     with a hint for the operator.
//   - The key is in the request's header and nowhere else: not in errors, not in logs.
//
// A Tool made by NewTool checks its arguments against its schema before its function runs. A wrong call
// returns a Result with Wrong set, for the model to read, and with Malformed set if the function did not run.
// An error means that the program itself failed.
//
// Package endpoint makes the exchange with one endpoint, and says what its failures mean. Only chat
// completions are supported. OpenAI's gpt-6 models refuse tools together with reasoning there; a request for
// both returns an *Error of KindRefused whose hint says so.
package model
