package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A tree is a process and all its descendants.
type tree struct{ root int }

// processes returns the process ids of the tree.
func (t tree) processes() []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		if f := statOf(name); len(f) > 1 {
			id, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			parent, _ := strconv.Atoi(f[1])
			children[parent] = append(children[parent], id)
		}
	}
	all := []int{t.root}
	for n := 0; n < len(all); n++ {
		all = append(all, children[all[n]]...)
	}
	return all
}

// statOf returns the fields of a /proc/PID/stat file that follow the process name. The name may hold blanks.
func statOf(name string) []string {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// seconds returns the processor time of the tree so far, including processes that have ended.
func (t tree) seconds() (total float64) {
	for _, id := range t.processes() {
		if f := statOf(fmt.Sprintf("/proc/%d/stat", id)); len(f) > 14 {
			for _, ticks := range f[11:15] { // user and system time of the process and of its ended children
				n, _ := strconv.ParseFloat(ticks, 64)
				total += n / 100
			}
		}
	}
	return total
}

// memory returns the resident memory of the tree in MB. Memory that its processes share counts once.
func (t tree) memory() (total float64) {
	for _, id := range t.processes() {
		f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", id))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if rest, is := strings.CutPrefix(lines.Text(), "Pss:"); is {
				kilobytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				total += kilobytes / 1024
				break
			}
		}
		f.Close()
	}
	return total
}

// watch samples the memory every 50 ms until peak is called, which returns the highest value in MB.
func (t tree) watch() (peak func() float64) {
	stop := make(chan struct{})
	done := make(chan float64)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		most := 0.0
		for {
			most = max(most, t.memory())
			select {
			case <-tick.C:
			case <-stop:
				done <- most
				return
			}
		}
	}()
	return func() float64 {
		close(stop)
		return <-done
	}
}
