# SPDX-License-Identifier: Apache-2.0
# Runs a formula's install and its test, with as much of Homebrew as this one asks for.
#
# usage: ruby formula.rb FORMULA SOURCES PREFIX
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

formula, sources, prefix = ARGV.map { |path| Pathname(path).expand_path }

# A folder that things are put into.
class Pathname
  def install(*items)
    mkpath
    items.flatten.each { |item| FileUtils.cp(item, self) }
  end
end

# What a formula says of itself, and the commands that it uses.
class Formula
  class << self
    attr_reader :told, :tests

    %i[desc homepage url sha256 license depends_on uses_from_macos].each do |word|
      define_method(word) { |*what| ((@told ||= {})[word] ||= []) << what.first }
    end

    def test(&block)
      @tests = block
    end
  end

  attr_reader :prefix, :testpath

  def initialize(prefix, testpath)
    @prefix = prefix
    @testpath = testpath
  end

  def bin
    prefix/"bin"
  end

  def man1
    prefix/"share/man/man1"
  end

  def man5
    prefix/"share/man/man5"
  end

  def pkgshare
    prefix/"share/npu-partition"
  end

  def doc
    prefix/"share/doc/npu-partition"
  end

  def version
    self.class.told[:url].first[/npu-partition-([0-9.]+)\.tar/, 1]
  end

  def system(command, *words)
    words.map!(&:to_s)
    command = "make" if command == "gmake" # GNU's, under Debian's name
    Kernel.system(command, *words, out: File::NULL) || abort("formula: #{command} failed")
  end

  def generate_completions_from_executable(program, shell_parameter_format:)
    %w[bash zsh fish].each do |shell|
      found = shell_output("#{program} #{shell_parameter_format}#{shell}")
      abort("formula: no completion for #{shell}") if found.empty?
    end
  end

  def shell_output(command)
    found, status = Open3.capture2(command)
    status.success? || abort("formula: #{command} failed")
    found
  end

  def assert_equal(expected, found)
    expected == found || abort("formula: #{found.inspect}, not #{expected.inspect}")
  end

  def assert_match(expected, found)
    found.include?(expected) || abort("formula: #{expected.inspect} is not in #{found.inspect}")
  end
end

# What Homebrew knows of the machine.
module Jobs
  def make_jobs
    2
  end
end
ENV.extend(Jobs)

load formula.to_s
Dir.mktmpdir do |folder|
  made = NpuPartition.new(prefix, Pathname(folder))
  Dir.chdir(sources) { made.install }
  Dir.chdir(folder) { made.instance_exec(&NpuPartition.tests) }
end
told = NpuPartition.told
abort("formula: desc is longer than 80 characters") if told[:desc].first.length > 80
puts "formula: installed and tested, #{Dir[prefix/"**/*"].count { |path| File.file?(path) }} files"
