package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHiddenByRegion(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sales.csv")
	if err := os.WriteFile(name, []byte("day, region,amount\nmo,south,1.00\nmo,north,2.00\ntu,south,4.01\ntu,north,2.01\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run([]string{"-by", "region", name}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "north\t2\t4.01\t2.01\nsouth\t2\t5.01\t2.51\nall\t4\t9.02\t2.01\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	out.Reset()
	if err := run([]string{name}, &out); err != nil || out.String() != "4 sales\t9.02\n" {
		t.Errorf("without -by: got %q, %v", out.String(), err)
	}
	if err := run([]string{"-by", "shop", name}, &out); err == nil || !strings.Contains(err.Error(), "region") {
		t.Errorf("got %v", err)
	}
}
