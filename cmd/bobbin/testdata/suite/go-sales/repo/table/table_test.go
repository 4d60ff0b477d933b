package table

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	table, err := Read(strings.NewReader("day, region ,amount\nmo,north,12.50\ntu,south,-0.05\n"))
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != 2 || table.Sum() != 1245 || table.Columns[1] != "region" {
		t.Errorf("got %+v", table)
	}
	if _, err := Read(strings.NewReader("day,amount\nmo,1.234\n")); err == nil || err.Error() != `line 2: "1.234" is no amount` {
		t.Errorf("got %v", err)
	}
}

func TestCents(t *testing.T) {
	for text, want := range map[string]string{"12": "12.00", "0.5": "0.50", "-0.05": "-0.05", "-12.30": "-12.30"} {
		c, err := ParseCents(text)
		if err != nil || c.String() != want {
			t.Errorf("%s: got %s, %v", text, c, err)
		}
	}
	for _, text := range []string{"", ".5", "1,5", "--1", "1.2.3", "1e3"} {
		if _, err := ParseCents(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
