# Writes another version of a gem into Gemfile.lock, and into a Gemfile that fixes another one.
name, version = ENV["NAME"], ENV["VERSION"]
gemfile = File.read("Gemfile")
changed = gemfile.gsub(/^(\s*gem\s+(["'])#{Regexp.escape(name)}\2\s*,\s*(["'])(?:=\s*)?)\d[^"']*(\3)/) { "#{$1}#{version}#{$4}" }
changed = changed.gsub(/^(\s*gem\s+(["'])#{Regexp.escape(name)}\2\s*,\s*(["'])~>\s*)\d[^"']*(\3)/) { "#{$1}#{version}#{$4}" }
File.write("Gemfile", changed) if changed != gemfile
abort "bundle lock failed" unless system("bundle", "lock", "--update", name, "--conservative")
