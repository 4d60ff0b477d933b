package view

import "testing"

// Items of any version and any model can be read, and each call has at most one result.
func FuzzPairCalls(f *testing.F) {
	f.Add(`{"role":"assistant","text":"a","calls":[{"id":"1","name":"run"},{"id":"1","name":"run"}]}`, `{"role":"tool","call_id":"1","text":"b"}`)
	f.Add(`[]`, `{"role":"tool","call_id":""}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		results := 0
		for _, e := range pairCalls([]Entry{{Kind: message, Text: first}, {Kind: message, Text: second}}) {
			if e.Kind == message {
				t.Fatalf("%+v is no entry", e)
			}
			if e.Kind == Call && !e.Open {
				results++
			}
		}
		if results > 1 {
			t.Fatalf("one item is %d results", results)
		}
	})
}
