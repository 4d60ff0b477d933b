package settings

import (
	"reflect"
	"testing"
)

func layer(t *testing.T, text string) map[string]any {
	t.Helper()
	l, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheLayerAboveWins(t *testing.T) {
	s := New(layer(t, `{"mail": {"from": "us@example.com", "port": 25}}`)).With(layer(t, `{"mail": {"port": 587}}`))
	if s.String("mail.from") != "us@example.com" || s.Depth() != 2 {
		t.Error("what was not overridden is gone")
	}
	if v, _ := s.Get("mail.port"); v != 587.0 {
		t.Errorf("port is %v", v)
	}
	if _, ok := s.Get("mail.port.x"); ok {
		t.Error("a number has no keys")
	}
}

func TestListsAreAdded(t *testing.T) {
	s := New(layer(t, `{"to": ["a"]}`)).With(layer(t, `{"to": ["+", "b", "a"]}`))
	if got := s.Strings("to"); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("got %v", got)
	}
	if got := s.With(layer(t, `{"to": ["c"]}`)).Strings("to"); !reflect.DeepEqual(got, []string{"c"}) {
		t.Errorf("got %v", got)
	}
}

func TestNullTakesAway(t *testing.T) {
	s := New(layer(t, `{"a": 1, "b": {"c": 2}}`)).With(layer(t, `{"a": null}`))
	if got := s.Keys(); !reflect.DeepEqual(got, []string{"b.c"}) {
		t.Errorf("got %v", got)
	}
}
