// Lists, in which {"repeat": …, "items": […]} stands for several items.
#include "taut/scene/scene_fields_internal.hpp"

namespace taut::io::detail {

void FieldReader::each_item(const At& list, const Visit& visit) {
  if (!list->items()) fail_found(list, "an array […]");
  for (std::size_t i = 0; i < list->items()->size(); ++i) {
    const At item = list.item(i);
    if (item.has("repeat"))
      each_turn(item, visit);
    else
      visit(item);
  }
}

void FieldReader::each_turn(const At& item, const Visit& visit) {
  refuse_unknown_keys(item, std::array<std::string_view, 2>{"repeat", "items"});
  if (!item.has("items")) fail(item, "found no \"items\", expected an array of what is repeated");
  const At repeat = item.member("repeat");
  const auto fields = read_object<RepeatFields>(repeat);
  // All turns of all repeats together: nested ones multiply. Before the work, not after it.
  turns_ += fields.count;
  if (turns_ > most_turns)
    fail(repeat, fmt::format("found {} turns of all repeats so far, expected at most {}", turns_,
                             most_turns));
  scope_.push(repeat.has("index") ? repeat.member("index") : repeat, fields.index, 0);
  for (long i = 0; i < fields.count; ++i) {
    scope_.set_last(static_cast<double>(i));
    const At turn = item.turn(fields.index, i);
    each_item(turn.member("items"), visit);
  }
  scope_.pop();
}

}  // namespace taut::io::detail
