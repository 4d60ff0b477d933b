package settings

import (
	"reflect"
	"testing"
)

func TestHiddenTenantsAreApart(t *testing.T) {
	tenants, err := Load(
		layer(t, `{"mail": {"recipients": ["ops"]}}`),
		map[string]map[string]any{"eu": layer(t, `{"mail": {"recipients": ["+", "eu-1", "eu-2"]}}`)},
		map[string]map[string]any{
			"acme":  layer(t, `{"mail": {"recipients": ["+", "acme-1"]}}`),
			"bolt":  layer(t, `{"mail": {"recipients": ["+", "bolt-1"]}}`),
			"chain": layer(t, `{}`),
		},
		map[string]string{"acme": "eu", "bolt": "eu", "chain": "eu"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"acme": {"ops", "eu-1", "eu-2", "acme-1"}, "bolt": {"ops", "eu-1", "eu-2", "bolt-1"}, "chain": {"ops", "eu-1", "eu-2"},
	} {
		if got := tenants.Of(name).Strings("mail.recipients"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestHiddenAnyRoomInTheList(t *testing.T) {
	for extra := range 6 {
		below := make([]any, 1, 1+extra)
		below[0] = "ops"
		base := New(map[string]any{"to": below})
		var stacks []*Stack
		for _, name := range []string{"x", "y", "z"} {
			stacks = append(stacks, base.With(map[string]any{"to": []any{"+", name}}))
		}
		for i, name := range []string{"x", "y", "z"} {
			if got := stacks[i].Strings("to"); !reflect.DeepEqual(got, []string{"ops", name}) {
				t.Errorf("room for %d: got %v, want ops and %s", extra, got, name)
			}
		}
	}
}

func TestHiddenNothingBelowIsExtended(t *testing.T) {
	s := New(map[string]any{}).With(map[string]any{"to": []any{"+", "a", "a"}})
	if got := s.Strings("to"); !reflect.DeepEqual(got, []string{"a"}) {
		t.Errorf("got %v", got)
	}
}
