// A list to choose one of: the browser's own, as one element of the page however many options it has.
export default {
  template: `<select :value="now" @change="chosen"><option v-for="[key, words] in options" :key="key" :value="key">{{ words }}</option></select>`,
  props: { value: String, options: Array },
  emits: ["chosen"],
  data() { return { now: this.value }; },
  watch: { value(now) { this.now = now; } },
  methods: {
    chosen(event) {
      const told = (this.now = event.target.value);
      this.$emit("chosen", told);
      setTimeout(() => { if (this.now === told) this.now = this.value; }, 1500);  // what was not taken is not shown
    },
  },
};
