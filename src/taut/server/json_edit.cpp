#include "taut/server/json_edit.hpp"

#include "taut/base/error.hpp"
#include "taut/text/json.hpp"

namespace taut::server {
namespace {

std::string replaced(const std::string& text, const Span& span, std::string_view by) {
  return text.substr(0, span.begin) + std::string(by) + text.substr(span.end);
}

/// The blanks at the beginning of the line on which something is.
std::string indentation(const std::string& text, std::size_t at) {
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  std::size_t end = line;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  return text.substr(line, end - line);
}

/// Puts a new member or item before the closing bracket of `container`.
std::string added_to(const std::string& text, const Span& container, const std::string& what) {
  const std::size_t close = container.end - 1;
  std::size_t last = close;  // behind what is before the bracket
  while (last > container.begin + 1 &&
         std::string_view(" \t\r\n").find(text[last - 1]) != std::string_view::npos)
    --last;
  const bool is_empty = last == container.begin + 1;
  const bool is_on_one_line = text.find('\n', container.begin) >= close;
  const std::string outer = indentation(text, container.begin);
  std::string added = is_empty ? "" : ",";
  if (is_on_one_line && !is_empty)
    added += " " + what;
  else
    added += "\n" + outer + "  " + what;
  const std::string rest =
      is_on_one_line && is_empty ? "\n" + outer : text.substr(last, close - last);
  return text.substr(0, last) + added + rest + text.substr(close);
}

}  // namespace

std::string set_member(const std::string& text, std::string_view object, std::string_view key,
                       std::string_view value) {
  const std::string pointer = std::string(object) + "/" + std::string(key);
  if (const auto found = find_value(text, pointer)) return replaced(text, *found, value);
  const auto container = find_value(text, object);
  const std::string member = io::json_quoted(key) + ": " + std::string(value);
  if (container) {
    if (text[container->begin] != '{') throw Error(pointer + ": found no object to add this to");
    return added_to(text, *container, member);
  }
  const std::size_t slash = object.rfind('/');
  if (slash == object.npos) throw Error("found no object, expected a scene");
  return set_member(text, object.substr(0, slash), object.substr(slash + 1), "{ " + member + " }");
}

std::string append_item(const std::string& text, std::string_view key, std::string_view value) {
  const std::string pointer = "/" + std::string(key);
  const auto found = find_value(text, pointer);
  if (!found) return set_member(text, "", key, "[\n    " + std::string(value) + "\n  ]");
  if (text[found->begin] != '[') throw Error(pointer + ": found no list to add this to");
  return added_to(text, *found, std::string(value));
}

std::string remove_item(const std::string& text, const std::vector<Span>& items,
                        std::size_t index) {
  // From behind the item before, or up to the item after.
  Span gone = items[index];
  if (index > 0)
    gone.begin = items[index - 1].end;
  else if (items.size() > 1)
    gone.end = items[1].begin;
  return replaced(text, gone, "");
}

}  // namespace taut::server
