// contacts.csv: a line for each point at which two shapes press on each other: time, their names,
// the point, the normal from b to a, the gap, the force on a, the slip of a on b, and the torque on
// a that resists rolling and spinning, in the world.
#include "taut/record/csv_writer_internal.hpp"

namespace taut::io {
namespace {

class ContactWriter final : public detail::CsvWriter {
 public:
  explicit ContactWriter(const RunTarget& target) : CsvWriter(target) {
    for (const char* column : {"a", "b", "x (m)", "y (m)", "z (m)", "nx", "ny", "nz", "gap (m)",
                               "fx (N)", "fy (N)", "fz (N)", "slip_x (m/s)", "slip_y (m/s)",
                               "slip_z (m/s)", "tx (N·m)", "ty (N·m)", "tz (N·m)"})
      add_column(column);
    end_header();
  }

  void record(const RunSample& sample) override {
    for (const ContactSample& contact : sample.contacts) {
      begin_line(sample.state.time);
      add_column(contact.a);
      add_column(contact.b);
      add(contact.point);
      add(contact.normal);
      add(Eigen::Matrix<double, 1, 1>(contact.gap));
      add(contact.force);
      add(contact.slip);
      add(contact.torque);
      end_line();
    }
    keep();
  }
};

}  // namespace

RunWriterInfo describe_contact_writer() {
  return {.name = "contacts",
          .file = "contacts.csv",
          .summary = "what presses on what, where and how hard, over time; scenes with shapes only",
          .needs = {.contacts = true},
          .make = [](const RunTarget& target) -> std::unique_ptr<RunWriter> {
            return std::make_unique<ContactWriter>(target);
          }};
}

}  // namespace taut::io
